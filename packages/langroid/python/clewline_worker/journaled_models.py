"""Models whose answers are in the journal: one that was given before is not asked for again."""

from __future__ import annotations

import functools
from contextvars import ContextVar
from typing import Any

from langroid.language_models.base import LanguageModel, LLMResponse

from .journal import key_of
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
    def asked(prompt: Any, *args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None or _is_asking.get():
            return ask(prompt, *args, **kwargs)
        key, known = _look_up(run, llm, prompt)
        if known:
            return LLMResponse.model_validate(known[0])
        token = _is_asking.set(True)
        try:
            return _noted(run, key, ask(prompt, *args, **kwargs))
        finally:
            _is_asking.reset(token)

    return asked


def _journaled_async(llm: Any, ask: Any) -> Any:
    @functools.wraps(ask)
    async def asked(prompt: Any, *args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None or _is_asking.get():
            return await ask(prompt, *args, **kwargs)
        key, known = _look_up(run, llm, prompt)
        if known:
            return LLMResponse.model_validate(known[0])
        token = _is_asking.set(True)
        try:
            return _noted(run, key, await ask(prompt, *args, **kwargs))
        finally:
            _is_asking.reset(token)

    return asked


def _look_up(run: Run, llm: Any, prompt: Any) -> tuple[str, list[Any]]:
    run.check()
    turn = current_turn.get()
    key = model_key("" if turn is None else turn.agent.config.name, llm, prompt)
    known = run.journal.take(key)
    if not known:
        run.journal.go_live()
    return key, known


def _noted(run: Run, key: str, response: Any) -> Any:
    turn = current_turn.get()
    if turn is not None and turn.error is not None:
        raise ModelBrokeOff(f"The model's answer broke off: {turn.error}")
    run.journal.note(key, response.model_dump(mode="json"))
    return response
