"""One run, and which run, agent and tool call the current code works for."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Optional

from .wire import send

current_run: ContextVar[Optional["Run"]] = ContextVar("clewline_run", default=None)
current_agent: ContextVar[Any] = ContextVar("clewline_agent", default=None)
current_call: ContextVar[str] = ContextVar("clewline_call", default="")


class MaxTurns(Exception):
    """The run asked the model as often as it may."""


class UserAsked(Exception):
    """A task wants to hear the user. The user's next message is the next run, so this one ends here."""


@dataclass
class ToolUse:
    """A tool call of the model."""

    id: str
    name: str
    args: dict[str, Any]
    # "api", or "text" for a call that the model wrote as JSON in its answer.
    via: str
    # Where it runs: "backend", "frontend", or "unknown" for a name that the model made up.
    place: str
    # The result, once there is one.
    content: str = ""


@dataclass
class ModelTurn:
    """The model call that is going on, as far as it has streamed."""

    number: int
    spoken: str = ""
    # Ids of its tool calls, by index; and the indices that a streamer has announced.
    ids: dict[int, str] = field(default_factory=dict)
    streamed: set[int] = field(default_factory=set)
    # Index of the chunk that came last (None: this model's chunks cannot be seen), and of the tool named last.
    chunk_index: Optional[int] = None
    named_index: int = -1
    finish: Optional[str] = None
    error: Optional[BaseException] = None
    text_uses: list[ToolUse] = field(default_factory=list)


class Run:
    """One run: its id, its limits, and what it has said so far."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.id: str = request["run"]
        self.request = request
        self.turn = ModelTurn(-1)
        self.is_over = False
        self.frontend = {tool["name"]: tool for tool in request["tools"]}
        self.refused = 0
        # Answers that hold calls written as text, and those calls that wait for their results.
        self.written: dict[str, list[ToolUse]] = {}
        self.waiting: list[str] = []
        self._repeats: dict[str, int] = {}
        self._minted = 0
        self._used_ids: set[str] = {
            call["id"] for message in request["messages"] for call in message.get("tool_calls") or []
        }

    def emit(self, event: dict[str, Any]) -> None:
        if not self.is_over:
            send({**event, "run": self.id})

    def end(self, event: dict[str, Any]) -> None:
        """The one terminal event. Whatever comes after it is dropped."""
        self.emit(event)
        self.is_over = True

    def begin_turn(self) -> ModelTurn:
        if self.turn.number + 1 >= self.request["limits"]["max_turns"]:
            raise MaxTurns()
        self.turn = ModelTurn(self.turn.number + 1)
        return self.turn

    def unique_id(self, wanted: str) -> str:
        """Dedupes: local models number their calls anew in every answer, and ids must be unique in a thread."""
        candidate = wanted
        while candidate in ("", "call_text") or candidate in self._used_ids:
            self._minted += 1
            candidate = f"{wanted or 'call'}_{self._minted}"
        self._used_ids.add(candidate)
        return candidate

    def claim_repeat(self, name: str, args: dict[str, Any]) -> bool:
        """Counts this call among its equals. False: there were too many of them, and it must not run."""
        key = json.dumps([name, args], sort_keys=True, default=str)
        self._repeats[key] = self._repeats.get(key, 0) + 1
        if self._repeats[key] <= self.request["limits"]["max_repeats"]:
            return True
        self.refused += 1
        return False

    def place(self, agent: Any, name: str) -> str:
        if name in agent.llm_tools_handled:
            return "backend"
        return "frontend" if name in self.frontend else "unknown"


def done(reason: str, pending: Optional[list[str]] = None) -> dict[str, Any]:
    return {"ev": "done", "reason": reason, "pending": pending or []}
