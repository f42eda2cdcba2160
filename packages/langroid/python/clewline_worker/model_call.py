"""One model call, from Langroid's callbacks and chunks to events."""

from __future__ import annotations

import functools
import json
from typing import Any, AsyncIterator, Callable, Iterator, Optional

from langroid.agent.chat_agent import ChatAgent
from langroid.language_models.openai_gpt import OpenAIGPT
from langroid.parsing.parse_json import extract_top_level_json

from .history import emit_history
from .journaled_models import model_key, usage_of
from .messages import writes_tools_as_text
from .model_request import model_request
from .responder_frame import current_frame, is_inner
from .run import ModelTurn, Run, ToolUse, current_run, current_turn
from .signals import SignalFilter
from .wire import to_json


def observe_models() -> None:
    """Makes every agent of this process emit its model calls, those that Langroid makes on its own included."""
    ask, ask_async = ChatAgent.llm_response_messages, ChatAgent.llm_response_messages_async

    @functools.wraps(ask)
    def observed(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return ask(self, messages, *args, **kwargs)
        turn = _begin(run, self, messages, *args, **kwargs)
        token = current_turn.set(turn)
        try:
            document = ask(self, messages, *args, **kwargs)
        finally:
            current_turn.reset(token)
        _end(run, turn, document)
        return document

    @functools.wraps(ask_async)
    async def observed_async(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return await ask_async(self, messages, *args, **kwargs)
        turn = _begin(run, self, messages, *args, **kwargs)
        token = current_turn.set(turn)
        try:
            document = await ask_async(self, messages, *args, **kwargs)
        finally:
            current_turn.reset(token)
        _end(run, turn, document)
        return document

    setattr(ChatAgent, "llm_response_messages", observed)
    setattr(ChatAgent, "llm_response_messages_async", observed_async)
    _observe_chunks()


def stream_to_us(agent: Any) -> None:
    async def start_stream_async() -> Callable[..., Any]:
        return _on_token_async

    agent.callbacks.start_llm_stream = lambda: on_token
    agent.callbacks.start_llm_stream_async = start_stream_async


def _begin(run: Run, agent: Any, messages: Any, *args: Any, **kwargs: Any) -> ModelTurn:
    run.check()
    frame = current_frame.get()
    if is_inner.get() or not run.session.has(agent):
        return ModelTurn(agent, "inner")
    run.count_turn()
    if not run.journal.has(model_key(agent.config.name, agent.llm, messages)):
        run.journal.go_live()
    emit_history(run, agent)
    turn = ModelTurn(agent, "held" if frame is not None and frame.agent is agent and frame.is_held else "shown")
    turn.request = model_request(agent, messages, *args, **kwargs)
    if turn.request is None:
        run.miss_input()
    turn.filter = SignalFilter() if run.session.has_signals(agent) else None
    if turn.kind == "shown":
        _open(run, turn)
    return turn


def _open(run: Run, turn: ModelTurn) -> None:
    agent = turn.agent
    turn.number = run.next_number()
    run.emit(
        {
            "ev": "llm_start",
            "turn": turn.number,
            "model": _model_name(agent),
            "agent": agent.config.name,
            "text_tools": _text_tools(agent) if writes_tools_as_text(agent) else {},
            **({} if turn.request is None else {"request": turn.request}),
        }
    )


def _end(run: Run, turn: ModelTurn, document: Any) -> None:
    if turn.kind == "shown":
        finish(run, turn, document, document.content or "")
    elif turn.kind == "held":
        frame = current_frame.get()
        assert frame is not None
        frame.calls.append((turn, document))
    else:
        emit_inner(run, turn, document)


def show_held(run: Run, turn: ModelTurn, document: Any, content: str) -> None:
    """A call that was held back, with what its agent made of the answer."""
    _open(run, turn)
    finish(run, turn, document, content)


def emit_inner(run: Run, turn: ModelTurn, document: Any) -> None:
    run.emit(
        {
            "ev": "inner_call",
            "agent": turn.agent.config.name,
            "model": _model_name(turn.agent),
            "content": document.content or "",
            "usage": usage_of(document.metadata.usage),
        }
    )


def finish(run: Run, turn: ModelTurn, document: Any, content: str) -> None:
    """Emits what was not streamed, and the end of the model call."""
    agent = turn.agent
    if document.reasoning and turn.spoken == "" and not turn.streamed and (turn.kind == "held" or not agent.llm.get_stream()):
        run.emit({"ev": "reasoning", "turn": turn.number, "delta": document.reasoning})
    if content and turn.spoken == "":
        _speak(run, turn, content)
    if turn.filter is not None:
        _emit_text(run, turn, turn.filter.end())
        content = turn.spoken
    for index, call in enumerate(document.oai_tool_calls or []):
        call.id = turn.ids.get(index) or run.unique_id(call.id or "")
    uses = _api_uses(run, agent, document) or _text_uses(run, agent, document)
    run.add_uses(agent, uses)
    calls = []
    for index, use in enumerate(uses):
        if index not in turn.streamed or use.via == "text":
            _emit_name(run, turn, index, use.id, use.name, use.place)
            run.emit({"ev": "tool_args", "turn": turn.number, "index": index, "delta": to_json(use.args)})
        call = {"id": use.id, "name": use.name, "args": use.args, "via": use.via, "place": use.place}
        calls.append({"index": index, **call})
    run.emit(
        {
            "ev": "llm_end",
            "turn": turn.number,
            "content": content,
            "tool_calls": calls,
            "finish_reason": turn.finish or ("tool_calls" if calls else "stop"),
            "usage": usage_of(document.metadata.usage),
        }
    )
    if agent is run.session.agent:
        run.last_said = "" if calls else content.strip()
        run.last_answer = (document.content or "") if any(use.via == "text" for use in uses) else ""


def on_token(token: str, event_type: Any) -> None:
    run, turn = current_run.get(), current_turn.get()
    if run is None or turn is None:
        return
    run.check()
    if not token or turn.kind != "shown":
        return
    kind = getattr(event_type, "name", str(event_type))
    if kind == "TEXT":
        _speak(run, turn, token)
    elif kind == "REASONING":
        run.emit({"ev": "reasoning", "turn": turn.number, "delta": token})
    elif kind == "TOOL_NAME":
        index = turn.named_index + 1 if turn.chunk_index is None else turn.chunk_index
        turn.named_index = index
        turn.ids[index] = turn.ids.get(index) or run.unique_id("")
        turn.streamed.add(index)
        _emit_name(run, turn, index, turn.ids[index], token, run.place(turn.agent, token))
    elif kind == "TOOL_ARGS" and turn.named_index >= 0:
        index = turn.chunk_index if turn.chunk_index in turn.streamed else turn.named_index
        run.emit({"ev": "tool_args", "turn": turn.number, "index": index, "delta": token})


async def _on_token_async(token: str, event_type: Any) -> None:
    on_token(token, event_type)


def _speak(run: Run, turn: ModelTurn, text: str) -> None:
    _emit_text(run, turn, text if turn.filter is None else turn.filter.push(text))


def _emit_text(run: Run, turn: ModelTurn, text: str) -> None:
    if text:
        turn.spoken += text
        run.emit({"ev": "text", "turn": turn.number, "delta": text})


def _emit_name(run: Run, turn: ModelTurn, index: int, call_id: str, name: str, place: str) -> None:
    run.emit({"ev": "tool_name", "turn": turn.number, "index": index, "id": call_id, "name": name, "place": place})


def _api_uses(run: Run, agent: Any, document: Any) -> list[ToolUse]:
    return [
        ToolUse(call.id, call.function.name, call.function.arguments or {}, "api", run.place(agent, call.function.name))
        for call in document.oai_tool_calls or []
    ]


def _text_uses(run: Run, agent: Any, document: Any) -> list[ToolUse]:
    """Tools that the model wrote as JSON in its text. They have no ids, so they get ours."""
    if not writes_tools_as_text(agent):
        return []
    try:
        tools = agent.get_tool_messages(document, all_tools=True)
    except Exception as error:
        return _invalid_use(run, agent, document, error)
    found = []
    for tool in tools:
        tool.id = ""
        args = {k: v for k, v in tool.model_dump(mode="json").items() if k not in ("request", "purpose", "id")}
        found.append(ToolUse(run.unique_id("call_text"), tool.request, args, "text", run.place(agent, tool.request)))
    return found


def _invalid_use(run: Run, agent: Any, document: Any, error: Exception) -> list[ToolUse]:
    """A call whose arguments do not validate is a call; Langroid answers it with what is wrong."""
    tool_class = getattr(error, "tool_class", None)
    if tool_class is None:
        return []
    name = tool_class.default_value("request")
    given = next((one for one in _objects(document.content) if one.get("request") == name), {})
    args = {key: value for key, value in given.items() if key != "request"}
    return [ToolUse(run.unique_id("call_text"), name, args, "text", run.place(agent, name))]


def _objects(text: str) -> list[dict[str, Any]]:
    found = []
    for candidate in extract_top_level_json(text):
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _text_tools(agent: Any) -> dict[str, Any]:
    """Tools that the agent may write, with their fields: Langroid takes JSON without `request` for the one that it fits."""
    tools = {}
    for name in sorted(agent.llm_tools_known):
        fields = agent.llm_tools_map[name].model_fields if name in agent.llm_tools_map else {}
        own = {key: value for key, value in fields.items() if key not in ("request", "purpose", "id")}
        tools[name] = {"fields": list(own), "required": [key for key, value in own.items() if value.is_required()]}
    return tools


def _model_name(agent: Any) -> str:
    return agent.llm.config.chat_model or type(agent.llm).__name__


def _observe_chunks() -> None:
    """Langroid's streamers get neither call ids nor the finish reason, and its reader swallows errors: chunks have all three."""
    read, read_async = OpenAIGPT._stream_response, OpenAIGPT._stream_response_async

    @functools.wraps(read)
    def observed(self: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        return read(self, _noted(response, current_run.get(), current_turn.get()), *args, **kwargs)

    @functools.wraps(read_async)
    async def observed_async(self: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        return await read_async(self, _noted_async(response, current_run.get(), current_turn.get()), *args, **kwargs)

    setattr(OpenAIGPT, "_stream_response", observed)
    setattr(OpenAIGPT, "_stream_response_async", observed_async)


def _noted(response: Any, run: Optional[Run], turn: Optional[ModelTurn]) -> Iterator[Any]:
    try:
        for event in response:
            note_chunk(run, turn, event)
            yield event
    except Exception as error:
        note_break(turn, error)
        raise
    note_end(turn)


async def _noted_async(response: Any, run: Optional[Run], turn: Optional[ModelTurn]) -> AsyncIterator[Any]:
    try:
        async for event in response:
            note_chunk(run, turn, event)
            yield event
    except Exception as error:
        note_break(turn, error)
        raise
    note_end(turn)


def note_chunk(run: Optional[Run], turn: Optional[ModelTurn], event: Any) -> None:
    if run is None or turn is None:
        return
    chunk = event if isinstance(event, dict) else event.model_dump()
    choice = (chunk.get("choices") or [{}])[0]
    turn.finish = choice.get("finish_reason") or turn.finish
    for position, call in enumerate((choice.get("delta") or {}).get("tool_calls") or []):
        index = call.get("index")
        turn.chunk_index = position if index is None else index
        if turn.chunk_index not in turn.ids:
            turn.ids[turn.chunk_index] = run.unique_id(call.get("id") or "")


def note_break(turn: Optional[ModelTurn], error: Exception) -> None:
    if turn is not None:
        turn.error = error


def note_end(turn: Optional[ModelTurn]) -> None:
    if turn is not None and turn.finish is None:
        turn.error = EOFError("the stream ended without a finish reason")
