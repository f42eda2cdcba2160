"""What an agent asks its user: a pause of the run, or the end of a turn in a chat."""

from __future__ import annotations

from typing import Any, Optional

import langroid

from .history import emit_history
from .journal import key_of
from .responders import say
from .run import Run, Stop, current_call, current_run, done
from .signals import without_signals
from .wire import to_json


def ask_through_us(agent: Any, task: Optional[Any], is_main: bool) -> None:
    """Fills the callbacks through which Langroid, and handlers of the app, ask the user; the app's own stay."""
    callbacks = agent.callbacks
    if callbacks.get_user_response is not None or callbacks.get_user_response_async is not None:
        return

    def ask(prompt: str = "", **_options: Any) -> str:
        run = current_run.get()
        if run is None:
            return ""
        if current_call.get() != "":
            return _answer(run, agent, prompt or _pending_text(task))
        if task is not None and _presses_enter(task):
            return ""
        text = prompt or _pending_text(task)
        if is_main:
            # At a terminal the user goes on talking; in a chat the next message is the next run.
            if text.strip() != run.last_said:
                say(run, text)
            raise Stop(done("stop"))
        return _answer(run, agent, text)

    async def ask_async(prompt: str = "", **options: Any) -> str:
        return ask(prompt, **options)

    callbacks.get_user_response = ask
    callbacks.get_user_response_async = ask_async


def _answer(run: Run, agent: Any, text: str) -> str:
    key = key_of("user", agent.config.name, text)
    known = run.journal.take(key)
    if known:
        return known[0]
    run.journal.go_live()
    if run.answer:
        value = run.answer.pop()
        answer = value if isinstance(value, str) else to_json(value)
        run.journal.note(key, answer)
        return answer
    emit_history(run, run.session.agent)
    raise Stop({"ev": "question", "question": {"agent": agent.config.name, "text": text}})


def _presses_enter(task: Any) -> bool:
    """At a terminal the user answers the model, and presses Enter on what a tool said."""
    pending = task.pending_message
    return pending is not None and pending.metadata.sender != langroid.Entity.LLM and not _is_addressed(task)


def _is_addressed(task: Optional[Any]) -> bool:
    pending = None if task is None else task.pending_message
    return pending is not None and pending.metadata.recipient == langroid.Entity.USER


def _pending_text(task: Optional[Any]) -> str:
    pending = None if task is None else task.pending_message
    return "" if pending is None else without_signals(pending.content or "")
