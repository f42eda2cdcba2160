"""Tools that the client runs, lent to an agent for one run."""

from __future__ import annotations

from typing import Any, Callable

from langroid import ToolMessage
from langroid.language_models.base import LLMFunctionSpec

from .run import Run


def add_frontend_tools(agent: Any, run: Run) -> Callable[[], None]:
    """Returns what removes them again. A tool that the agent handles itself stays the agent's."""
    added = []
    for name, tool in run.frontend.items():
        if name in agent.llm_tools_handled or name in agent.llm_tools_known:
            continue
        agent.enable_message(_tool_class(tool), use=True, handle=False)
        agent.llm_functions_map[name] = LLMFunctionSpec(
            name=name, description=tool.get("description") or name, parameters=tool["parameters"]
        )
        added.append(name)

    def remove() -> None:
        for name in added:
            agent.llm_tools_map.pop(name, None)
            agent.llm_functions_map.pop(name, None)
            for names in (agent.llm_tools_known, agent.llm_tools_usable, agent.llm_functions_usable):
                names.discard(name)
        if added:
            agent._update_tool_instructions()

    return remove


def _tool_class(tool: dict[str, Any]) -> Any:
    name, parameters = tool["name"], tool["parameters"]

    def schema(cls: Any, request: bool = False, defaults: bool = True) -> LLMFunctionSpec:
        properties = dict(parameters.get("properties") or {})
        required = list(parameters.get("required") or [])
        if request:
            properties = {"request": {"type": "string", "enum": [name]}, **properties}
            required = ["request", *required]
        return LLMFunctionSpec(
            name=name,
            description=tool.get("description") or name,
            parameters={**parameters, "type": "object", "properties": properties, "required": required},
        )

    members = {
        "__annotations__": {"request": str, "purpose": str},
        "request": name,
        "purpose": tool.get("description") or name,
        "llm_function_schema": classmethod(schema),
    }
    return type(f"Frontend_{name}", (ToolMessage,), members)
