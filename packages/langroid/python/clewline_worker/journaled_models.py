"""Models whose answers are in the journal: one that was given before is not asked for again."""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import Any

from langroid.language_models.base import LanguageModel, LLMResponse

from .journal import key_of
from .responder_frame import current_frame
from .run import Run, current_run, current_turn


class ModelBrokeOff(Exception):
    """The model's stream ended early. Langroid logs that and returns half an answer; here it is an error."""


# `generate` of a chat model calls its `chat`: only the outer one counts.
_is_asking: ContextVar[bool] = ContextVar("clewline_is_asking", default=False)


def journal_models() -> None:
    """Also for agents that Langroid makes on its own, such as those which read passages for a `DocChatAgent`."""
    create = LanguageModel.create

    @functools.wraps(create)
    def created(*args: Any, **kwargs: Any) -> Any:
        return journal_model(create(*args, **kwargs))

    setattr(LanguageModel, "create", staticmethod(created))


def journal_model(llm: Any) -> Any:
    if llm is None or "_clewline" in vars(llm):
        return llm
    llm._clewline = True
    for name in ("chat", "generate"):
        setattr(llm, name, _journaled(llm, getattr(llm, name)))
        setattr(llm, f"a{name}", _journaled_async(llm, getattr(llm, f"a{name}")))
    return llm


def model_key(agent_name: str, llm: Any, prompt: Any) -> str:
    """By what is said, without the system message: that is the app's, and may have the time of day in it."""
    if isinstance(prompt, str):
        return key_of("model", agent_name, llm.config.chat_model, prompt)
    said = [
        [
            message.role.value,
            message.content,
            message.tool_call_id,
            [[call.id, call.function.name, call.function.arguments] for call in message.tool_calls or []],
        ]
        for message in prompt
        if message.role.value != "system"
    ]
    return key_of("model", agent_name, llm.config.chat_model, said)


def _journaled(llm: Any, ask: Any) -> Any:
    @functools.wraps(ask)
    def asked(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None or _is_asking.get():
            return ask(*args, **kwargs)
        key, known = _look_up(run, llm, args, kwargs)
        if known:
            return _shown(run, llm, LLMResponse.model_validate(known[0]))
        token = _is_asking.set(True)
        try:
            return _noted(run, key, llm, ask(*args, **kwargs))
        finally:
            _is_asking.reset(token)

    return asked


def _journaled_async(llm: Any, ask: Any) -> Any:
    @functools.wraps(ask)
    async def asked(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None or _is_asking.get():
            return await ask(*args, **kwargs)
        key, known = _look_up(run, llm, args, kwargs)
        if known:
            return _shown(run, llm, LLMResponse.model_validate(known[0]))
        token = _is_asking.set(True)
        try:
            return _noted(run, key, llm, await ask(*args, **kwargs))
        finally:
            _is_asking.reset(token)

    return asked


def _look_up(run: Run, llm: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, list[Any]]:
    run.check()
    turn = current_turn.get()
    prompt = args[0] if args else kwargs.get("messages", kwargs.get("prompt"))
    key = model_key("" if turn is None else turn.agent.config.name, llm, prompt)
    known = run.journal.take(key)
    if not known:
        run.journal.go_live()
    return key, known


def _noted(run: Run, key: str, llm: Any, response: Any) -> Any:
    turn = current_turn.get()
    if turn is not None and turn.error is not None:
        raise ModelBrokeOff(f"The model's answer broke off: {turn.error}")
    run.journal.note(key, response.model_dump(mode="json"))
    return _shown(run, llm, response)


def _shown(run: Run, llm: Any, response: Any) -> Any:
    """A model that was asked directly, as a `DocChatAgent` does to reword a question, is seen here only."""
    if current_turn.get() is None:
        frame = current_frame.get()
        model = llm.config.chat_model or type(llm).__name__
        agent = model if frame is None else frame.agent.config.name
        content, usage = response.message or "", usage_of(response.usage)
        run.emit({"ev": "inner_call", "agent": agent, "model": model, "content": content, "usage": usage})
    return response


def usage_of(usage: Any) -> dict[str, float]:
    if usage is None:
        return {}
    counts = {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
    return {**counts, "cached_tokens": usage.cached_tokens} if getattr(usage, "cached_tokens", 0) else counts
