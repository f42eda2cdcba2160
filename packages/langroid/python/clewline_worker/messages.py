"""Messages of the protocol to Langroid's, and back."""

from __future__ import annotations

import json
from typing import Any

from langroid.language_models.base import LLMFunctionCall, LLMMessage, OpenAIToolCall, Role

from .run import ToolUse
from .wire import to_json


def writes_tools_as_text(agent: Any) -> bool:
    """Whether the model writes its tool calls as JSON in its answer, and not through the provider's API."""
    return bool(agent.config.use_tools or not agent.config.use_functions_api)


def to_llm_message(message: dict[str, Any], is_text: bool) -> LLMMessage:
    role, content = message["role"], message.get("content")
    calls = message.get("tool_calls") or []
    if is_text and role == "tool":
        return LLMMessage(role=Role.USER, content=content)
    if is_text and calls:
        tools = [f"TOOL: {json.dumps({'request': call['name'], **_parse_args(call)})}" for call in calls]
        return LLMMessage(role=Role.ASSISTANT, content="\n".join([part for part in [content, *tools] if part]))
    return LLMMessage(
        role=Role(role),
        content=content,
        tool_call_id=message.get("tool_call_id"),
        tool_calls=[
            OpenAIToolCall(
                id=call["id"], type="function", function=LLMFunctionCall(name=call["name"], arguments=_parse_args(call))
            )
            for call in calls
        ]
        or None,
    )


def _parse_args(call: dict[str, Any]) -> dict[str, Any]:
    try:
        args = json.loads(call.get("arguments") or "{}")
        return args if isinstance(args, dict) else {}
    except ValueError:
        return {}


def tool_message(call_id: str, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def plain_message(message: LLMMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [
            _call(call.id, call.function.name, call.function.arguments or {}) for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def with_calls(plain: dict[str, Any], uses: list[ToolUse]) -> dict[str, Any]:
    """Normalised: calls written as text are calls."""
    return {**plain, "tool_calls": [_call(use.id, use.name, use.args) for use in uses]} if uses else plain


def _call(call_id: Any, name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"id": call_id, "name": name, "arguments": to_json(args)}
