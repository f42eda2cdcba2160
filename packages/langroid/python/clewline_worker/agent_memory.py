"""What an agent knows besides its model's answers: its history, and attributes that the app keeps on it."""

from __future__ import annotations

import functools
import json
from typing import Any

from langroid.agent.chat_agent import ChatAgent, ChatAgentConfig
from langroid.language_models.base import LLMMessage


def attributes_of(agent: Any) -> dict[str, Any]:
    """The app's own attributes, as far as JSON can hold them. What it cannot hold is as `build` made it."""
    found = {}
    for name, value in vars(agent).items():
        if not name.startswith("_") and name not in _langroid_attributes() and _is_json(value):
            found[name] = json.loads(json.dumps(value))
    # Follow-up questions to a `DocChatAgent` are understood by it.
    found["dialog"] = [list(turn) for turn in agent.dialog]
    return found


def restore_attributes(agent: Any, attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        setattr(agent, name, [tuple(turn) for turn in value] if name == "dialog" else value)


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in after.items() if name not in before or before[name] != value}


def messages_of(agent: Any) -> list[dict[str, Any]]:
    """Without the system message, which Langroid makes anew before every model call."""
    left_out = {"timestamp", "chat_document_id", "files"}
    return [
        message.model_dump(mode="json", exclude=left_out, exclude_none=True)
        for message in agent.message_history
        if message.role.value != "system"
    ]


def restore_messages(agent: Any, messages: list[dict[str, Any]]) -> None:
    agent.message_history = []
    agent.oai_tool_calls = []
    if messages:
        agent.init_message_history()
        del agent.message_history[1:]
        agent.message_history.extend(LLMMessage.model_validate(message) for message in messages)


@functools.cache
def _langroid_attributes() -> frozenset[str]:
    return frozenset({*vars(ChatAgent(ChatAgentConfig(llm=None))), "oai_tool_calls"})


def _is_json(value: Any) -> bool:
    if isinstance(value, (str, int, float, bool, type(None))):
        return True
    if isinstance(value, list):
        return all(_is_json(item) for item in value)
    return isinstance(value, dict) and all(isinstance(k, str) and _is_json(v) for k, v in value.items())
