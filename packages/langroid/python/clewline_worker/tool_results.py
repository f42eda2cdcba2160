"""Results of tool handlers as JSON, for the journal."""

from __future__ import annotations

import importlib
from typing import Any

import langroid
from langroid.agent.tool_message import ToolMessage

from .wire import to_json


def encode_result(result: Any) -> dict[str, Any]:
    """Handlers return a text, nothing, or (once Langroid has looked at it) a document that may hold tools."""
    if result is None or isinstance(result, str):
        return {"text": result}
    return {
        "content": result.content,
        "recipient": result.metadata.recipient,
        "sender": result.metadata.sender.value,
        "tools": [_encode_tool(tool) for tool in result.tool_messages],
        "tools_from_agent": getattr(result.metadata, "tools_from_agent", False),
    }


def decode_result(agent: Any, value: dict[str, Any]) -> Any:
    if "text" in value:
        return value["text"]
    document = agent.response_template(
        langroid.Entity(value["sender"]),
        content=value["content"],
        tool_messages=[_decode_tool(tool) for tool in value["tools"]],
        recipient=value["recipient"],
    )
    if hasattr(document.metadata, "tools_from_agent"):
        document.metadata.tools_from_agent = value["tools_from_agent"]
    return document


def tool_args(tool: ToolMessage) -> dict[str, Any]:
    return {k: v for k, v in tool.model_dump(mode="json").items() if k not in ("request", "purpose", "id")}


def _encode_tool(tool: ToolMessage) -> dict[str, Any]:
    kind = type(tool)
    nested = [_encode_tool(one) for one in getattr(tool, "tools", None) or [] if isinstance(one, ToolMessage)]
    fields = {k: v for k, v in tool.model_dump(mode="json").items() if k not in ("purpose", "tools")}
    to_json(fields)
    return {"class": [kind.__module__, kind.__qualname__], "fields": fields, "nested": nested}


def _decode_tool(value: dict[str, Any]) -> ToolMessage:
    module, name = value["class"]
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    nested = [_decode_tool(one) for one in value["nested"]]
    return found(**value["fields"], **({"tools": nested} if nested else {}))
