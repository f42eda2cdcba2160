"""One model call, from Langroid's callbacks and chunks to events."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable

from .messages import writes_tools_as_text
from .run import ModelTurn, Run, ToolUse, current_agent, current_run
from .wire import to_json


class ModelBrokeOff(Exception):
    """The model's stream ended early. Langroid logs that and returns half an answer; here it is an error."""


def observe_model(agent: Any) -> None:
    """Makes an agent emit its model calls. It patches the instance, never the class."""
    ask = agent.llm_response_messages_async

    async def observed_ask(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return await ask(*args, **kwargs)
        turn = run.begin_turn()
        run.emit(
            {
                "ev": "llm_start",
                "turn": turn.number,
                "model": agent.llm.config.chat_model or type(agent.llm).__name__,
                "agent": agent.config.name,
                "text_tools": sorted(agent.llm_tools_known) if writes_tools_as_text(agent) else [],
            }
        )
        document = await ask(*args, **kwargs)
        if turn.error is not None:
            raise ModelBrokeOff(f"The model's answer broke off: {turn.error}")
        _finish(run, turn, agent, document)
        return document

    async def start_stream() -> Callable[..., Any]:
        return _on_token

    agent.llm_response_messages_async = observed_ask
    agent.callbacks.start_llm_stream_async = start_stream
    llm = agent.llm
    if llm is not None and hasattr(llm, "_stream_response_async"):
        read = llm._stream_response_async

        async def observed_read(response: Any, chat: bool = False) -> Any:
            return await read(_observe_chunks(response), chat)

        llm._stream_response_async = observed_read


async def _observe_chunks(response: Any) -> AsyncIterator[Any]:
    """Langroid's streamers get neither call ids nor the finish reason, and its reader swallows errors: chunks have all three."""
    run = current_run.get()
    turn = ModelTurn(-1) if run is None else run.turn
    try:
        async for event in response:
            if run is not None:
                _note_chunk(run, turn, event if isinstance(event, dict) else event.model_dump())
            yield event
    except Exception as error:
        turn.error = error
        raise
    if turn.finish is None:
        turn.error = EOFError("the stream ended without a finish reason")


def _note_chunk(run: Run, turn: ModelTurn, chunk: dict[str, Any]) -> None:
    choice = (chunk.get("choices") or [{}])[0]
    turn.finish = choice.get("finish_reason") or turn.finish
    for position, call in enumerate((choice.get("delta") or {}).get("tool_calls") or []):
        index = call.get("index")
        turn.chunk_index = position if index is None else index
        if turn.chunk_index not in turn.ids:
            turn.ids[turn.chunk_index] = run.unique_id(call.get("id") or "")


async def _on_token(token: str, event_type: Any) -> None:
    run = current_run.get()
    if run is None or not token:
        return
    turn = run.turn
    kind = getattr(event_type, "name", str(event_type))
    if kind == "TEXT":
        turn.spoken += token
        run.emit({"ev": "text", "turn": turn.number, "delta": token})
    elif kind == "REASONING":
        run.emit({"ev": "reasoning", "turn": turn.number, "delta": token})
    elif kind == "TOOL_NAME":
        index = turn.named_index + 1 if turn.chunk_index is None else turn.chunk_index
        turn.named_index = index
        turn.ids[index] = turn.ids.get(index) or run.unique_id("")
        turn.streamed.add(index)
        agent = current_agent.get()
        place = "unknown" if agent is None else run.place(agent, token)
        _emit_name(run, turn, index, turn.ids[index], token, place)
    elif kind == "TOOL_ARGS" and turn.named_index >= 0:
        index = turn.chunk_index if turn.chunk_index in turn.streamed else turn.named_index
        run.emit({"ev": "tool_args", "turn": turn.number, "index": index, "delta": token})


def _finish(run: Run, turn: ModelTurn, agent: Any, document: Any) -> None:
    """Emits what was not streamed, and the end of the model call."""
    content = document.content or ""
    if document.reasoning and turn.spoken == "" and not turn.streamed and not agent.llm.get_stream():
        run.emit({"ev": "reasoning", "turn": turn.number, "delta": document.reasoning})
    if content and turn.spoken == "":
        run.emit({"ev": "text", "turn": turn.number, "delta": content})
    for index, call in enumerate(document.oai_tool_calls or []):
        call.id = turn.ids.get(index) or run.unique_id(call.id or "")
    uses = api_uses(run, agent, document)
    if not uses:
        turn.text_uses = uses = _text_uses(run, agent, document)
        if uses:
            run.written[content] = uses
    calls = []
    for index, use in enumerate(uses):
        if index not in turn.streamed or use.via == "text":
            _emit_name(run, turn, index, use.id, use.name, use.place)
            run.emit({"ev": "tool_args", "turn": turn.number, "index": index, "delta": to_json(use.args)})
        call = {"id": use.id, "name": use.name, "args": use.args, "via": use.via, "place": use.place}
        calls.append({"index": index, **call})
    usage = document.metadata.usage
    run.emit(
        {
            "ev": "llm_end",
            "turn": turn.number,
            "content": content,
            "tool_calls": calls,
            "finish_reason": turn.finish or ("tool_calls" if calls else "stop"),
            "usage": {}
            if usage is None
            else {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens},
        }
    )


def _emit_name(run: Run, turn: ModelTurn, index: int, call_id: str, name: str, place: str) -> None:
    run.emit({"ev": "tool_name", "turn": turn.number, "index": index, "id": call_id, "name": name, "place": place})


def api_uses(run: Run, agent: Any, document: Any) -> list[ToolUse]:
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
    except Exception:
        return []
    found = []
    for tool in tools:
        tool.id = ""
        args = {k: v for k, v in tool.model_dump(mode="json").items() if k not in ("request", "purpose", "id")}
        found.append(ToolUse(run.unique_id("call_text"), tool.request, args, "text", run.place(agent, tool.request)))
    return found
