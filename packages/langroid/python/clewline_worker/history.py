"""What the agents' histories gained, as events: messages of the main agent, and results of calls that no handler gave."""

from __future__ import annotations

from typing import Any

from .handler_events import emit_result
from .messages import plain_message, tool_message, with_calls
from .run import Run, ToolUse


class History:
    """How far the history of one agent has been emitted."""

    def __init__(self, length: int) -> None:
        self.length = length
        # The first messages that it gains are the run's input, which is not news.
        self.skip = 0
        # Calls written as text whose results will come as a message of the user.
        self.waiting: list[ToolUse] = []


def emit_history(run: Run, agent: Any) -> None:
    """Emits what is new. The results of sub-agents and of calls that do not validate are only seen here."""
    history = run.session.history(agent)
    is_main = agent is run.session.agent
    fresh = agent.message_history[history.length :]
    history.length = len(agent.message_history)
    for message in fresh:
        if history.skip > 0 and message.role.value != "system":
            history.skip -= 1
            continue
        plain = plain_message(message)
        if plain["role"] == "assistant":
            newest = run.newest.get(id(agent), [])
            written = [use for use in newest if use.via == "text"]
            history.waiting = written
            plain = with_calls(plain, written)
        elif plain["role"] == "user" and history.waiting:
            _emit_text_results(run, history, message.content or "", is_main)
            continue
        elif plain["role"] == "tool":
            use = run.uses.get(plain.get("tool_call_id") or "")
            if use is not None:
                emit_result(run, use, message.content or "", None)
        if is_main:
            run.emit({"ev": "message", "message": plain})


def _emit_text_results(run: Run, history: History, content: str, is_main: bool) -> None:
    """One message of the user has the results of all calls that were written as text."""
    for use in history.waiting:
        if use.place == "frontend":
            continue
        emit_result(run, use, content, None)
        if is_main:
            run.emit({"ev": "message", "message": tool_message(use.id, use.content or content)})
    history.waiting = []
