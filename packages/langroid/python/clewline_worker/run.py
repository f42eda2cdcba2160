"""One run, and which run, model call and tool call the current code works for."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from .journal import Journal
from .wire import send

if TYPE_CHECKING:
    from .session import Session

current_run: ContextVar[Optional["Run"]] = ContextVar("clewline_run", default=None)
current_turn: ContextVar[Optional["ModelTurn"]] = ContextVar("clewline_turn", default=None)
current_call: ContextVar[str] = ContextVar("clewline_call", default="")


class Stop(BaseException):
    """Ends the run from wherever it is, through Langroid and the app. No `Exception`, so that neither swallows it."""

    def __init__(self, ending: dict[str, Any]) -> None:
        super().__init__(ending)
        self.ending = ending


@dataclass
class ToolUse:
    """A tool call of a model."""

    id: str
    name: str
    args: dict[str, Any]
    # "api", or "text" for a call that the model wrote as JSON in its answer.
    via: str
    # Where it runs: "backend", "frontend", or "unknown" for a name that the model made up.
    place: str
    # The result, once there is one.
    content: str = ""
    is_answered: bool = False


@dataclass
class ModelTurn:
    """A model call that is going on, as far as it has streamed."""

    agent: Any
    # "shown" as it streams, "held" until its agent has answered, or "inner": no part of the conversation.
    kind: str
    number: int = -1
    # What it sends; None when that cannot be seen.
    request: Optional[dict[str, Any]] = None
    spoken: str = ""
    # Takes signals of the task out of what is streamed; None for an agent whose text has none.
    filter: Any = None
    # Ids of its tool calls, by index; and the indices that a streamer has announced.
    ids: dict[int, str] = field(default_factory=dict)
    streamed: set[int] = field(default_factory=set)
    # Index of the chunk that came last (None: this model's chunks cannot be seen), and of the tool named last.
    chunk_index: Optional[int] = None
    named_index: int = -1
    finish: Optional[str] = None
    error: Optional[BaseException] = None


class Run:
    """One run: its id, its limits, and what it has said so far."""

    def __init__(self, request: dict[str, Any], session: "Session") -> None:
        self.id: str = request["run"]
        self.request = request
        self.session = session
        self.journal = Journal(request["journal"], self.emit)
        self.answer: list[Any] = [request["answer"]] if "answer" in request else []
        self.is_over = False
        self.is_cancelled = False
        self.frontend = {tool["name"]: tool for tool in request["tools"]}
        self.refused = 0
        # Calls that models asked for, by id; and those of each agent's newest answer.
        self.uses: dict[str, ToolUse] = {}
        self.newest: dict[int, list[ToolUse]] = {}
        # What the main agent said last, as people saw it.
        self.last_said = ""
        # The same as its model wrote it, if it holds a call that was written as text.
        self.last_answer = ""
        self._turns = 0
        self._numbers = 0
        self._repeats: dict[str, int] = {}
        self._minted = 0
        self._has_missed_input = False
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

    def check(self) -> None:
        """A blocking call in a thread cannot be interrupted: it ends at the next thing that it does."""
        if self.is_cancelled or self.is_over:
            raise Stop(done("cancelled"))

    def count_turn(self) -> None:
        limits = self.request["limits"]
        if self._turns >= limits["max_turns" if self.session.task is None else "max_task_turns"]:
            raise Stop(done("max_turns"))
        self._turns += 1

    def miss_input(self) -> None:
        """Says once that the record of this run lacks what a model was asked."""
        if self._has_missed_input:
            return
        self._has_missed_input = True
        message = "What a model was asked could not be read, or is larger than 4 MiB: it is not in the record."
        self.emit({"ev": "warning", "code": "input-missing", "message": message})

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers - 1

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
        if name in self.frontend:
            return "frontend"
        return "backend" if self.session.handles(name) else "unknown"

    def add_uses(self, agent: Any, uses: list[ToolUse]) -> None:
        self.newest[id(agent)] = uses
        self.uses.update({use.id: use for use in uses})

    def use_of(self, tool: Any) -> Optional[ToolUse]:
        """The call that a tool came from. One that a model wrote as text has no id: the first equal one that waits."""
        if getattr(tool, "id", ""):
            return self.uses.get(tool.id)
        waiting = [
            use
            for use in self.uses.values()
            if use.via == "text" and use.name == tool.request and not use.is_answered and use.place == "backend"
        ]
        return waiting[0] if waiting else None


def done(reason: str, pending: Optional[list[str]] = None) -> dict[str, Any]:
    return {"ev": "done", "reason": reason, "pending": pending or []}
