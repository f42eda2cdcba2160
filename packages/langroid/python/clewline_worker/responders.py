"""An agent's three responders, as the app has overridden them, blocking or async, and what is seen of them."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Optional

from langroid.agent.base import Agent
from langroid.agent.chat_agent import ChatAgent

from .history import emit_history
from .model_call import emit_inner, show_held
from .responder_frame import ResponderFrame, current_frame, is_inner
from .run import Run, Stop, current_run, done
from .signals import without_signals

_LLM = ("llm_response", "llm_response_messages")
_AGENT = ("agent_response", "handle_message")
_USER = ("user_response",)


def observe_responders(agent: Any) -> None:
    """Patches the instance. Langroid's tasks ask the async responders: each leads to the one that the app has overridden."""
    # Before anything is patched: a patch would look like the app's own.
    agent._clewline_overrides = {names[0] for names in (_LLM, _AGENT) if _overrides(agent, names)}
    is_held = reads_messages(agent)
    llm = _respond(agent, _LLM)

    async def observed(message: Any = None) -> Any:
        run = current_run.get()
        if run is None:
            return await llm(message)
        frame = ResponderFrame(agent, is_held)
        token = current_frame.set(frame)
        try:
            result = await llm(message)
        finally:
            current_frame.reset(token)
        _settle(run, frame, result)
        return result

    agent.llm_response_async = observed
    agent.agent_response_async = _respond(agent, _AGENT)
    agent.user_response_async = _respond(agent, _USER)
    if isinstance(agent, ChatAgent):
        _hide_forgotten(agent)


def answers_itself(agent: Any) -> bool:
    """The app has a responder of its own for tools."""
    return _AGENT[0] in agent._clewline_overrides


def reads_messages(agent: Any) -> bool:
    """The app has a responder of its own for what is said to the model."""
    return _LLM[0] in agent._clewline_overrides


def _overrides(agent: Any, names: tuple[str, ...]) -> bool:
    both = [*names, *(f"{name}_async" for name in names)]
    return _depth(agent, both) < type(agent).__mro__.index(ChatAgent if isinstance(agent, ChatAgent) else Agent)


def _respond(agent: Any, names: tuple[str, ...]) -> Callable[..., Any]:
    """The blocking method, in a thread, if the app has overridden that one and not the async one."""
    blocking, in_loop = getattr(agent, names[0]), getattr(agent, f"{names[0]}_async")
    if _depth(agent, names) >= _depth(agent, [f"{name}_async" for name in names]):
        return in_loop

    async def in_thread(message: Any = None) -> Any:
        return await asyncio.to_thread(blocking, message)

    return in_thread


def _depth(agent: Any, names: Any) -> int:
    """How far up the class hierarchy the nearest of these methods is defined; -1 on the instance itself."""
    places = [vars(agent), *(vars(kind) for kind in type(agent).__mro__)]
    return next(i - 1 for i, place in enumerate(places) if any(name in place for name in names))


def _settle(run: Run, frame: ResponderFrame, result: Any) -> None:
    """Shows what was held back, with what the agent made of it; and stops where a tool of the client was called."""
    agent = frame.agent
    is_main = agent is run.session.agent
    *earlier, last = frame.calls or [None]
    for call in earlier:
        emit_inner(run, *call)
    content = None if result is None else result.content or ""
    if last is not None and content is not None:
        turn, document = last
        show_held(run, turn, document, content)
        if document is not result and document.oai_tool_calls and not result.oai_tool_calls:
            run.newest[id(agent)] = []
    elif last is not None:
        emit_inner(run, *last)
    elif frame.is_held and content and is_main:
        say(run, content)
    emit_history(run, agent)
    if is_main and result is not None:
        pending = [use.id for use in run.newest.get(id(agent), []) if use.place == "frontend"]
        if pending and run.session.task is not None:
            raise Stop(done("frontend_tools", pending))


def say(run: Run, content: str) -> None:
    """Words of the main agent that no model call has shown."""
    text = without_signals(content) if run.session.has_signals(run.session.agent) else content
    run.newest[id(run.session.agent)] = []
    if text:
        run.last_said = text.strip()
        run.emit({"ev": "say", "text": text})


def _hide_forgotten(agent: Any) -> None:
    forget, forget_async = agent.llm_response_forget, agent.llm_response_forget_async

    def hidden(*args: Any, **kwargs: Any) -> Any:
        token = is_inner.set(True)
        try:
            return forget(*args, **kwargs)
        finally:
            is_inner.reset(token)

    async def hidden_async(*args: Any, **kwargs: Any) -> Any:
        token = is_inner.set(True)
        try:
            return await forget_async(*args, **kwargs)
        finally:
            is_inner.reset(token)

    agent.llm_response_forget, agent.llm_response_forget_async = hidden, hidden_async


def rewire(task: Any) -> None:
    """A task has looked up its agent's responders when it was made."""
    task._entity_responder_async_map = dict(task.agent.entity_responders_async())
    task._entity_responder_map = dict(task.agent.entity_responders())
