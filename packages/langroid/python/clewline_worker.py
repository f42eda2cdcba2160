"""Runs real Langroid agents for Clewline: one JSON object per line on stdin and stdout.

    python clewline_worker.py --app my_agents:build

`build(thread_id)` (or `build()`) returns a `ChatAgent` or a `Task`; it is called once per thread, so nothing is
shared. The caller owns every history: a run brings the messages that came before, so that this process may die at any
moment and nothing is lost. The protocol is described in the package's README and validated on both sides.

A handler may show progress while it works:

    from clewline_worker import update
    update(state={"steps": steps}, text="two of five", done=2, total=5)
"""

from __future__ import annotations

import argparse
import asyncio
import contextvars
import copy
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import signal
import sys
import threading
import time
import traceback
from typing import Any, Callable, Optional

# Langroid prints colours even when it is told to be quiet. The real stdin and stdout are for the protocol alone, so
# everything else, what handlers start included, must be led elsewhere before anything is imported.
_wire = os.fdopen(os.dup(1), "wb")
_requests = os.fdopen(os.dup(0), "rb")
os.dup2(2, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.stdout = sys.stderr
# So that an app's `from clewline_worker import update` finds this very module.
sys.modules.setdefault("clewline_worker", sys.modules[__name__])

PROTOCOL = 1
MAX_LINE = 8 * 1024 * 1024
GRACE_SECONDS = 2
_write_lock = threading.Lock()
_run: contextvars.ContextVar[Optional["Run"]] = contextvars.ContextVar("clewline_run", default=None)
_agent: contextvars.ContextVar[Any] = contextvars.ContextVar("clewline_agent", default=None)
_call: contextvars.ContextVar[str] = contextvars.ContextVar("clewline_call", default="")


def to_json(value: Any) -> str:
    """JSON as JavaScript writes it: without spaces, and with null for the numbers that JSON does not have."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    if "NaN" in text or "Infinity" in text:
        finite = json.loads(text, parse_constant=lambda _number: None)
        text = json.dumps(finite, ensure_ascii=False, separators=(",", ":"))
    return text


def send(message: dict[str, Any]) -> None:
    line = to_json(message).encode("utf-8", "replace") + b"\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"a line of {len(line)} bytes is more than the protocol allows")
    with _write_lock:
        _wire.write(line)
        _wire.flush()


def update(
    state: Optional[dict[str, Any]] = None,
    text: Optional[str] = None,
    done: Optional[float] = None,
    total: Optional[float] = None,
) -> None:
    """Shows what the current tool handler is doing. Outside a handler it does nothing."""
    run = _run.get()
    if run is None or _call.get() == "":
        return
    event: dict[str, Any] = {"ev": "tool_update", "id": _call.get()}
    if state is not None:
        event["state"] = copy.deepcopy(state)
    if text is not None:
        event["text"] = text
    if done is not None:
        event["progress"] = {"done": done} if total is None else {"done": done, "total": total}
    run.emit(event)


class MaxTurns(Exception):
    """The run asked the model as often as it may."""


class UserAsked(Exception):
    """A task wants to hear the user. The user's next message is the next run, so this one ends here."""


class ModelBrokeOff(Exception):
    """The model's stream ended early. Langroid logs that and returns half an answer; here it is an error."""


class Run:
    """One run: its id, its limits, and what it has said so far."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.id: str = request["run"]
        self.request = request
        self.turn = -1
        self.is_over = False
        self.frontend = {tool["name"]: tool for tool in request["tools"]}
        self.repeats: dict[str, int] = {}
        self.refused = 0
        self.used_ids: set[str] = {
            call["id"] for message in request["messages"] for call in message.get("tool_calls") or []
        }
        self.minted = 0
        # Of the model call that is going on.
        self.text_uses: list[tuple[str, str, dict[str, Any]]] = []
        # Calls written as text, by the text; and those of them that wait for their results.
        self.written: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
        self.waiting: list[str] = []
        self.spoken = ""
        self.ids: dict[int, str] = {}
        self.streamed: set[int] = set()
        self.last_index = -1
        self.raw_index = 0
        self.finish: Optional[str] = None
        self.stream_error: Optional[BaseException] = None

    def emit(self, event: dict[str, Any]) -> None:
        if not self.is_over:
            send({**event, "run": self.id})

    def end(self, event: dict[str, Any]) -> None:
        self.emit(event)
        self.is_over = True

    def unique_id(self, wanted: str) -> str:
        """Local models number their calls anew in every answer; ids must be unique in a thread."""
        candidate = wanted
        while candidate in ("", "call_text") or candidate in self.used_ids:
            self.minted += 1
            candidate = f"{wanted or 'call'}_{self.minted}"
        self.used_ids.add(candidate)
        return candidate

    def may_run(self, name: str, args: dict[str, Any]) -> bool:
        key = json.dumps([name, args], sort_keys=True, default=str)
        self.repeats[key] = self.repeats.get(key, 0) + 1
        if self.repeats[key] <= self.request["limits"]["max_repeats"]:
            return True
        self.refused += 1
        return False

    def place(self, agent: Any, name: str) -> str:
        if name in agent.llm_tools_handled:
            return "backend"
        return "frontend" if name in self.frontend else "unknown"


def instrument(agent: Any) -> None:
    """Makes an agent tell the current run what it does. Everything hangs on the instance, nothing on the class."""
    ask = agent.llm_response_messages_async

    async def observed_ask(*args: Any, **kwargs: Any) -> Any:
        run = _run.get()
        if run is None:
            return await ask(*args, **kwargs)
        if run.turn + 1 >= run.request["limits"]["max_turns"]:
            raise MaxTurns()
        run.turn += 1
        turn = run.turn
        run.spoken, run.ids, run.streamed, run.last_index = "", {}, set(), -1
        run.finish, run.stream_error = None, None
        is_text = agent.config.use_tools or not agent.config.use_functions_api
        run.emit(
            {
                "ev": "llm_start",
                "turn": turn,
                "model": agent.llm.config.chat_model or type(agent.llm).__name__,
                "agent": agent.config.name,
                "text_tools": sorted(agent.llm_tools_known) if is_text else [],
            }
        )
        document = await ask(*args, **kwargs)
        if run.stream_error is not None:
            raise ModelBrokeOff(f"The model's answer broke off: {run.stream_error}")
        finish_turn(run, agent, document, turn)
        return document

    async def start_stream() -> Callable[..., Any]:
        return on_token

    agent.llm_response_messages_async = observed_ask
    agent.callbacks.start_llm_stream_async = start_stream
    llm = agent.llm
    if llm is not None and hasattr(llm, "_stream_response_async"):
        read = llm._stream_response_async

        async def observed_read(response: Any, chat: bool = False) -> Any:
            return await read(peek(response), chat)

        llm._stream_response_async = observed_read

    handle = agent.handle_tool_message_async

    async def observed_handle(tool: Any, chat_doc: Any = None) -> Any:
        run = _run.get()
        call_id = getattr(tool, "id", "") or _call.get()
        if run is None or call_id == "":
            return await handle(tool, chat_doc)
        run.emit({"ev": "tool_start", "id": call_id})
        try:
            result = await run_handler(agent, tool, chat_doc, call_id, handle)
        except Exception as error:
            run.emit(tool_result(call_id, f'Tool "{tool.request}" failed: {error}', str(error)))
            raise
        run.emit(tool_result(call_id, content_of(result), None))
        return result

    agent.handle_tool_message_async = observed_handle


async def run_handler(agent: Any, tool: Any, chat_doc: Any, call_id: str, handle: Any) -> Any:
    """An async handler runs here; a blocking one in a thread, or it would stall every other run."""
    token = _call.set(call_id)
    try:
        name = getattr(tool, "_handler", tool.request)
        if getattr(agent, f"{name}_async", None) is not None:
            return await handle(tool, chat_doc)
        return await asyncio.to_thread(agent.handle_tool_message, tool, chat_doc)
    except SystemExit as error:
        # It would end the event loop, and every other run with it.
        raise RuntimeError(f"the handler called sys.exit({error.code!r})") from error
    finally:
        _call.reset(token)


def tool_result(call_id: str, content: str, error: Optional[str]) -> dict[str, Any]:
    return {"ev": "tool_result", "id": call_id, "content": content, "error": error}


def content_of(result: Any) -> str:
    if result is None:
        return ""
    return result if isinstance(result, str) else (getattr(result, "content", None) or "")


async def peek(response: Any) -> Any:
    """Langroid's streamers get no call ids, no finish reason, and its reader hides errors: all three are seen here."""
    run = _run.get()
    try:
        async for event in response:
            if run is not None:
                note_chunk(run, event if isinstance(event, dict) else event.model_dump())
            yield event
    except Exception as error:
        if run is not None:
            run.stream_error = error
        raise
    if run is not None and run.finish is None:
        run.stream_error = EOFError("the stream ended without a finish reason")


def note_chunk(run: Run, chunk: dict[str, Any]) -> None:
    choices = chunk.get("choices") or [{}]
    run.finish = choices[0].get("finish_reason") or run.finish
    for position, call in enumerate((choices[0].get("delta") or {}).get("tool_calls") or []):
        index = call.get("index")
        run.raw_index = position if index is None else index
        if run.raw_index not in run.ids:
            run.ids[run.raw_index] = run.unique_id(call.get("id") or "")


async def on_token(token: str, event_type: Any) -> None:
    run = _run.get()
    if run is None or not token:
        return
    kind = getattr(event_type, "name", str(event_type))
    if kind == "TEXT":
        run.spoken += token
        run.emit({"ev": "text", "turn": run.turn, "delta": token})
    elif kind == "REASONING":
        run.emit({"ev": "reasoning", "turn": run.turn, "delta": token})
    elif kind == "TOOL_NAME":
        run.last_index = run.raw_index if run.ids else run.last_index + 1
        call_id = run.ids.setdefault(run.last_index, "") or run.unique_id("")
        run.ids[run.last_index] = call_id
        run.streamed.add(run.last_index)
        agent = _agent.get()
        place = run.place(agent, token) if agent is not None else "unknown"
        run.emit({"ev": "tool_name", "turn": run.turn, "index": run.last_index, "id": call_id, "name": token, "place": place})
    elif kind == "TOOL_ARGS" and run.last_index >= 0:
        index = run.raw_index if run.raw_index in run.streamed else run.last_index
        run.emit({"ev": "tool_args", "turn": run.turn, "index": index, "delta": token})


def finish_turn(run: Run, agent: Any, document: Any, turn: int) -> None:
    """Says what a streamer could not, and the end of the model call."""
    content = document.content or ""
    if document.reasoning and run.spoken == "" and not run.streamed and not agent.llm.get_stream():
        run.emit({"ev": "reasoning", "turn": turn, "delta": document.reasoning})
    if content and run.spoken == "":
        run.emit({"ev": "text", "turn": turn, "delta": content})
    calls = []
    for index, call in enumerate(document.oai_tool_calls or []):
        call.id = run.ids.get(index) or run.unique_id(call.id or "")
        name, args = call.function.name, call.function.arguments or {}
        if index not in run.streamed:
            announce(run, agent, turn, index, call.id, name, args)
        calls.append(described(run, agent, index, call.id, name, args, "api"))
    run.text_uses = [] if calls else text_calls(run, agent, document)
    if run.text_uses:
        run.written[content] = run.text_uses
    if not calls:
        for index, (call_id, name, args) in enumerate(run.text_uses):
            announce(run, agent, turn, index, call_id, name, args)
            calls.append(described(run, agent, index, call_id, name, args, "text"))
    usage = document.metadata.usage
    run.emit(
        {
            "ev": "llm_end",
            "turn": turn,
            "content": content,
            "tool_calls": calls,
            "finish_reason": run.finish or ("tool_calls" if calls else "stop"),
            "usage": {}
            if usage is None
            else {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens},
        }
    )


def announce(run: Run, agent: Any, turn: int, index: int, call_id: str, name: str, args: dict[str, Any]) -> None:
    place = run.place(agent, name)
    run.emit({"ev": "tool_name", "turn": turn, "index": index, "id": call_id, "name": name, "place": place})
    run.emit({"ev": "tool_args", "turn": turn, "index": index, "delta": to_json(args)})


def described(run: Run, agent: Any, index: int, call_id: str, name: str, args: Any, via: str) -> dict[str, Any]:
    return {"index": index, "id": call_id, "name": name, "args": args, "via": via, "place": run.place(agent, name)}


def text_calls(run: Run, agent: Any, document: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """Tools that the model wrote as JSON in its text, with ids of ours, which the tools then carry."""
    if agent.config.use_functions_api and not agent.config.use_tools:
        return []
    try:
        tools = agent.get_tool_messages(document, all_tools=True)
    except Exception:
        return []
    found = []
    for tool in tools:
        tool.id = ""
        call_id = run.unique_id("call_text")
        found.append((call_id, tool.request, tool_args(tool)))
    return found


def tool_args(tool: Any) -> dict[str, Any]:
    return {key: value for key, value in tool.model_dump(mode="json").items() if key not in ("request", "purpose", "id")}


class Session:
    """An agent or a task of one thread."""

    def __init__(self, built: Any) -> None:
        self.task = built if isinstance(built, langroid.Task) else None
        self.agent = built.agent if self.task is not None else built
        self.lock = asyncio.Lock()
        for agent in self.agents():
            instrument(agent)
        if self.task is not None:
            hear_user(self.task)
            for task in self.sub_tasks(self.task):
                hear_user(task)
                self.observe_sub_task(task)

    def agents(self) -> list[Any]:
        if self.task is None:
            return [self.agent]
        return [task.agent for task in [self.task, *self.sub_tasks(self.task)]]

    def sub_tasks(self, task: Any) -> list[Any]:
        return [found for sub in task.sub_tasks for found in [sub, *self.sub_tasks(sub)]]

    def observe_sub_task(self, task: Any) -> None:
        run_async = task.run_async

        async def observed(*args: Any, **kwargs: Any) -> Any:
            run = _run.get()
            if run is None:
                return await run_async(*args, **kwargs)
            run.emit({"ev": "step", "phase": "start", "name": task.name})
            token = _agent.set(task.agent)
            try:
                result = await run_async(*args, **kwargs)
            finally:
                _agent.reset(token)
            run.emit({"ev": "step", "phase": "end", "name": task.name, "result": content_of(result)})
            return result

        task.run_async = observed

    def seed(self, messages: list[dict[str, Any]]) -> None:
        """The history as the caller has it. The system message is Langroid's own."""
        agent = self.agent
        agent.message_history = []
        agent.init_message_history()
        del agent.message_history[1:]
        is_text = agent.config.use_tools or not agent.config.use_functions_api
        agent.message_history.extend(to_llm_message(message, is_text) for message in messages)
        agent.oai_tool_calls = []

    def add_frontend_tools(self, run: Run) -> Callable[[], None]:
        """Tools of the client, for this run only. A tool that the agent handles itself stays the agent's."""
        agent = self.agent
        added = []
        for name, tool in run.frontend.items():
            if name in agent.llm_tools_handled or name in agent.llm_tools_known:
                continue
            agent.enable_message(frontend_class(tool), use=True, handle=False)
            agent.llm_functions_map[name] = LLMFunctionSpec(
                name=name, description=tool.get("description") or name, parameters=tool["parameters"]
            )
            added.append(name)

        def remove() -> None:
            for name in added:
                agent.llm_tools_map.pop(name, None)
                agent.llm_functions_map.pop(name, None)
                for names in (agent.llm_tools_known, agent.llm_tools_usable, agent.llm_functions_usable):
                    names.discard(name)
            if added:
                agent._update_tool_instructions()

        return remove

    def close(self) -> None:
        for agent in self.agents():
            if agent.message_history:
                agent.clear_history(0)
            langroid.Agent.delete_id(agent.id)


def hear_user(task: Any) -> None:
    """A terminal's user answers the model, and presses Enter on what a tool said. So does this one."""
    callbacks = task.agent.callbacks
    if callbacks.get_user_response is not None or callbacks.get_user_response_async is not None:
        return

    async def ask(**_options: Any) -> str:
        metadata = task.pending_message.metadata
        if metadata.sender == langroid.Entity.LLM or metadata.recipient == langroid.Entity.USER:
            raise UserAsked()
        return ""

    callbacks.get_user_response_async = ask


def frontend_class(tool: dict[str, Any]) -> Any:
    name, parameters = tool["name"], tool["parameters"]

    def schema(cls: Any, request: bool = False, defaults: bool = True) -> Any:
        properties = dict(parameters.get("properties") or {})
        required = list(parameters.get("required") or [])
        if request:
            properties = {"request": {"type": "string", "enum": [name]}, **properties}
            required = ["request", *required]
        return LLMFunctionSpec(
            name=name,
            description=tool.get("description") or name,
            parameters={**parameters, "type": "object", "properties": properties, "required": required},
        )

    members = {
        "__annotations__": {"request": str, "purpose": str},
        "request": name,
        "purpose": tool.get("description") or name,
        "llm_function_schema": classmethod(schema),
    }
    return type(f"Frontend_{name}", (langroid.ToolMessage,), members)


def to_llm_message(message: dict[str, Any], is_text: bool) -> Any:
    role, content = message["role"], message.get("content")
    calls = message.get("tool_calls") or []
    if is_text and role == "tool":
        return LLMMessage(role=Role.USER, content=content)
    if is_text and calls:
        tools = [f"TOOL: {json.dumps({'request': call['name'], **parse_args(call)})}" for call in calls]
        return LLMMessage(role=Role.ASSISTANT, content="\n".join([part for part in [content, *tools] if part]))
    return LLMMessage(
        role=Role(role),
        content=content,
        tool_call_id=message.get("tool_call_id"),
        tool_calls=[
            OpenAIToolCall(
                id=call["id"], type="function", function=LLMFunctionCall(name=call["name"], arguments=parse_args(call))
            )
            for call in calls
        ]
        or None,
    )


def parse_args(call: dict[str, Any]) -> dict[str, Any]:
    try:
        args = json.loads(call.get("arguments") or "{}")
        return args if isinstance(args, dict) else {}
    except ValueError:
        return {}


def from_llm_message(message: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "name": call.function.name,
                "arguments": to_json(call.function.arguments or {}),
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        plain["tool_call_id"] = message.tool_call_id
    return plain


async def chat(session: Session, run: Run) -> dict[str, Any]:
    """The chat loop: ask the model, run its backend tools, ask again, until it speaks or a client must act."""
    agent, request = session.agent, run.request
    given = request["input"]
    if given["kind"] == "user":
        agent.message_history.append(LLMMessage(role=Role.USER, content=given["text"]))
    elif given["kind"] == "tool_results":
        is_text = agent.config.use_tools or not agent.config.use_functions_api
        agent.message_history.extend(
            to_llm_message({"role": "tool", "tool_call_id": one["id"], "content": one["content"]}, is_text)
            for one in given["results"]
        )
    while True:
        before = len(agent.message_history)
        document = await ask_again(agent)
        if document is None:
            return done("stop")
        emit_messages(run, agent, before)
        uses = requested_tools(run, agent, document)
        if not uses:
            return done("stop")
        local = [use for use in uses if use["place"] != "frontend"]
        tasks = [asyncio.ensure_future(answer(session, run, use, document)) for use in local]
        try:
            for use, task in zip(local, tasks):
                use["content"], error = await task
                if use["place"] == "backend":
                    run.emit(tool_result(use["id"], use["content"], error))
        finally:
            for task in tasks:
                task.cancel()
        remember_answers(agent, local)
        for use in local:
            message = {"role": "tool", "tool_call_id": use["id"], "content": use["content"]}
            run.emit({"ev": "message", "message": message})
        run.waiting = []
        pending = [use["id"] for use in uses if use["place"] == "frontend"]
        if pending:
            return done("frontend_tools", pending)
        returns = [use for use in local if use["name"] in request["return_after"]]
        if returns and len(returns) == len(local):
            return done("returned")
        if run.refused > 1:
            return done("repeated")


async def ask_again(agent: Any) -> Any:
    """Asks about the history as it stands. `llm_response_async(None)` would drop its last message first."""
    last = agent.message_history[-1]
    document = langroid.ChatDocument(content="", metadata=ChatDocMetaData(sender=langroid.Entity.USER))
    last.chat_document_id = document.id()
    agent.oai_tool_calls = []
    try:
        return await agent.llm_response_async(document)
    finally:
        langroid.ChatDocument.delete_id(document.id())


def requested_tools(run: Run, agent: Any, document: Any) -> list[dict[str, Any]]:
    uses = []
    for call in document.oai_tool_calls or []:
        name = call.function.name
        uses.append({"id": call.id, "name": name, "args": call.function.arguments or {}, "via": "api"})
    if not uses:
        uses = [{"id": call_id, "name": name, "args": args, "via": "text"} for call_id, name, args in run.text_uses]
    for use in uses:
        use["place"] = run.place(agent, use["name"])
    return uses


async def answer(session: Session, run: Run, use: dict[str, Any], document: Any) -> tuple[str, Optional[str]]:
    agent, name, args = session.agent, use["name"], use["args"]
    if use["place"] == "unknown":
        names = [n for n in agent.llm_tools_map if n in agent.llm_tools_usable]
        told = f'There is no tool named "{name}". Tools you may use: {", ".join(names) or "none"}.'
        return told, told
    tool_class = agent.llm_tools_map[name]
    run.emit({"ev": "tool_start", "id": use["id"]})
    try:
        tool = tool_class.model_validate({**args, "request": name})
    except Exception as error:
        told = agent.tool_validation_error(error, tool_class) if hasattr(error, "errors") else str(error)
        told = inspect.cleandoc(told)
        return told, told
    if not run.may_run(name, args):
        limit = run.request["limits"]["max_repeats"]
        told = f'You called "{name}" with the same arguments {limit} times already. Answer with what you know.'
        return told, told
    tool.id = use["id"] if use["via"] == "api" else ""
    try:
        result = await run_handler(agent, tool, document, use["id"], _plain_handle(agent))
        return content_of(result), None
    except Exception as error:
        traceback.print_exc()
        return f'Tool "{name}" failed: {error}', str(error)


def _plain_handle(agent: Any) -> Any:
    """Langroid's own method, without the observation: the chat loop tells starts and results itself."""
    return type(agent).handle_tool_message_async.__get__(agent)


def remember_answers(agent: Any, uses: list[dict[str, Any]]) -> None:
    texts = []
    for use in uses:
        if use["via"] == "api":
            agent.message_history.append(LLMMessage(role=Role.TOOL, tool_call_id=use["id"], content=use["content"]))
        else:
            texts.append(use)
    if len(texts) == 1:
        agent.message_history.append(LLMMessage(role=Role.USER, content=texts[0]["content"]))
    elif texts:
        content = "\n\n".join(f"Result from {use['name']}: {use['content']}" for use in texts)
        agent.message_history.append(LLMMessage(role=Role.USER, content=content))


def emit_messages(run: Run, agent: Any, start: int) -> None:
    """What the history gained, in one form: calls written as text are calls, and their results are results."""
    for message in agent.message_history[start:]:
        plain = from_llm_message(message)
        written = run.written.get(message.content or "") if plain["role"] == "assistant" else None
        if written:
            plain["tool_calls"] = [
                {"id": call_id, "name": name, "arguments": to_json(args)}
                for call_id, name, args in written
            ]
            run.waiting = [call_id for call_id, _, _ in written]
        elif plain["role"] == "user" and run.waiting:
            for call_id in run.waiting:
                result = {"role": "tool", "tool_call_id": call_id, "content": message.content}
                run.emit({"ev": "message", "message": result})
            run.waiting = []
            continue
        run.emit({"ev": "message", "message": plain})


async def work(session: Session, run: Run) -> dict[str, Any]:
    """A task, step by step: `Task.run` would stall on a tool that only the client can answer."""
    task, agent, given = session.task, session.agent, run.request["input"]
    document: Any = given["text"] if given["kind"] == "user" else ""
    if given["kind"] == "tool_results":
        calls = (agent.message_history[-1].tool_calls or []) if agent.message_history else []
        agent.oai_tool_calls = list(calls)
        results = {one["id"]: one["content"] for one in given["results"]}
        document = agent.create_agent_response(
            content=next(iter(results.values()), "") if len(results) == 1 else "",
            oai_tool_id2result=results if len(results) > 1 else None,
        )
        if len(results) == 1:
            document.metadata.oai_tool_id = next(iter(results))
    # `run_async` would set these; `init` does not.
    task.n_stalled_steps = 0
    task.max_cost, task.max_tokens, task._no_answer_step, task.n_no_answer_alternations = 0, 0, -5, 0
    task.session_id, task.response_sequence, task.is_done = run.id, [], False
    task._init_message_counter()
    task.history.clear()
    task._set_alive()
    task.caller = None
    seen = len(agent.message_history)
    skip = len(given["results"]) if given["kind"] == "tool_results" else 1
    task.init(document)
    if given["kind"] == "tool_results":
        task.pending_sender = langroid.Entity.AGENT
    step = 0
    while True:
        task._step_idx = step
        await task.step_async()
        pending = task.pending_message
        if pending is not None and (not task.response_sequence or task.response_sequence[-1].id() != pending.id()):
            task.response_sequence.append(pending)
        if len(agent.message_history) > seen:
            emit_messages(run, agent, seen + skip)
            seen, skip = len(agent.message_history), 0
        waiting = [
            call.id
            for call in (getattr(pending, "oai_tool_calls", None) or [])
            if run.place(agent, call.function.name) == "frontend"
        ]
        if waiting and pending.metadata.sender == langroid.Entity.LLM:
            return done("frontend_tools", waiting)
        is_done, status = task.done()
        if is_done:
            return done("stalled" if status == StatusCode.STALLED else "stop")
        step += 1
        if task.turns > 0 and step >= task.turns:
            return done("stop")
        length = task.config.inf_loop_cycle_len
        if length > 0 and step % length == 0 and task._maybe_infinite_loop():
            return {
                "ev": "error",
                "code": "LOOP",
                "type": "InfiniteLoopError",
                "message": f'The task "{task.name}" repeats itself. Adjust its `cycles`, or give it a way to be done.',
            }


def done(reason: str, pending: Optional[list[str]] = None) -> dict[str, Any]:
    return {"ev": "done", "reason": reason, "pending": pending or []}


class Worker:
    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build
        self.sessions: dict[str, Session] = {}
        self.runs: dict[str, asyncio.Task[None]] = {}

    async def session(self, thread: str) -> Session:
        if thread not in self.sessions:
            takes_thread = len(inspect.signature(self.build).parameters) > 0
            # Building an agent takes a tenth of a second or more (certificates, tokenizers): other runs go on.
            built = await asyncio.to_thread(self.build, *([thread] if takes_thread else []))
            if not isinstance(built, (langroid.ChatAgent, langroid.Task)):
                raise TypeError(f"The app must return a ChatAgent or a Task, not {type(built).__name__}.")
            self.sessions[thread] = Session(built)
        return self.sessions[thread]

    async def run(self, request: dict[str, Any]) -> None:
        run = Run(request)
        _run.set(run)
        try:
            session = await self.session(request["thread"])
            async with session.lock:
                _agent.set(session.agent)
                session.seed(request["messages"])
                remove = session.add_frontend_tools(run)
                try:
                    ending = await (chat if session.task is None else work)(session, run)
                finally:
                    remove()
                    self.forget_documents()
            run.end(ending)
        except asyncio.CancelledError:
            run.end(done("cancelled"))
        except MaxTurns:
            run.end(done("max_turns"))
        except UserAsked:
            run.end(done("stop"))
        except BaseException as error:
            traceback.print_exc()
            code = "LLM" if is_model_error(error) else "INTERNAL"
            run.end({"ev": "error", "code": code, "type": type(error).__name__, "message": str(error)})
        finally:
            self.runs.pop(run.id, None)

    def forget_documents(self) -> None:
        """Langroid registers every document for ever. Histories here come with each run, so old ones are dead weight."""
        if len(self.runs) > 1 and len(ObjectRegistry.registry) < 10_000:
            return
        dead = [key for key, value in ObjectRegistry.registry.items() if isinstance(value, langroid.ChatDocument)]
        for key in dead[: -1000 if len(self.runs) > 1 else None]:
            ObjectRegistry.remove(key)

    async def serve(self, lines: "asyncio.Queue[Optional[bytes]]") -> None:
        while True:
            line = await lines.get()
            if line is None:
                break
            request: dict[str, Any] = {}
            try:
                request = json.loads(line)
                self.accept(request)
                send({"re": request["id"], "ok": True})
            except SystemExit:
                break
            except Exception as error:
                send({"re": str(request.get("id", "")), "ok": False, "error": f"{type(error).__name__}: {error}"})
        for task in list(self.runs.values()):
            task.cancel()

    def accept(self, request: dict[str, Any]) -> None:
        if request.get("v") != PROTOCOL:
            raise ValueError(f"protocol {request.get('v')!r} is not {PROTOCOL}")
        op = request["op"]
        if op == "run":
            check_run(request)
            if request["run"] in self.runs:
                raise ValueError("this run is already going on")
            self.runs[request["run"]] = asyncio.get_running_loop().create_task(self.run(request))
        elif op == "cancel":
            task = self.runs.get(request["run"])
            if task is not None:
                task.cancel()
        elif op == "evict":
            session = self.sessions.pop(request["thread"], None)
            if session is not None:
                session.close()
        elif op == "shutdown":
            raise SystemExit
        elif op != "ping":
            raise ValueError(f"unknown op {op!r}")


def check_run(request: dict[str, Any]) -> None:
    shapes = {"run": str, "thread": str, "messages": list, "input": dict, "tools": list, "limits": dict, "return_after": list}
    for key, kind in shapes.items():
        if not isinstance(request.get(key), kind):
            raise ValueError(f"{key} must be a {kind.__name__}")
    if request["input"].get("kind") not in ("user", "tool_results", "continue"):
        raise ValueError("input.kind must be user, tool_results or continue")


def is_model_error(error: BaseException) -> bool:
    return isinstance(error, ModelBrokeOff) or type(error).__module__.split(".")[0] in ("openai", "httpx", "litellm")


def survive_without_tiktoken() -> None:
    """tiktoken downloads its tables when an agent is built. Offline, a rough count is better than no agent."""
    import tiktoken

    class Rough:
        name = "rough"

        def encode(self, text: str, **_options: Any) -> list[int]:
            return list(range(len(text) // 4 + 1))

        def decode(self, tokens: list[int], **_options: Any) -> str:
            return "".join(" " * 4 for _ in tokens)

    def guarded(load: Callable[..., Any]) -> Callable[..., Any]:
        def attempt(*args: Any, **kwargs: Any) -> Any:
            nonlocal is_offline
            if is_offline:
                return Rough()
            try:
                return load(*args, **kwargs)
            except KeyError:
                raise
            except Exception:
                is_offline = True
                return Rough()

        return attempt

    is_offline = False
    tiktoken.encoding_for_model = guarded(tiktoken.encoding_for_model)
    tiktoken.get_encoding = guarded(tiktoken.get_encoding)


def survive_python_3_10() -> None:
    """Langroid 0.65.16 says that it runs on 3.10, and imports a name that `typing` has since 3.11."""
    import typing

    if not hasattr(typing, "Self"):
        import typing_extensions

        setattr(typing, "Self", typing_extensions.Self)


def load(app: str) -> Callable[..., Any]:
    module, _, name = app.partition(":")
    sys.path.insert(0, os.getcwd())
    found = getattr(importlib.import_module(module), name or "build")
    if not callable(found):
        raise TypeError(f"{app} is not a function that builds an agent")
    return found


def read_lines(loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[Optional[bytes]]") -> None:
    for line in _requests:
        if line.strip():
            loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, None)
    # Whoever started this process has gone. A handler that blocks must not keep it, nor what it started, alive.
    time.sleep(GRACE_SECONDS)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


async def main(app: str) -> None:
    lines: "asyncio.Queue[Optional[bytes]]" = asyncio.Queue()
    loop = asyncio.get_running_loop()
    threading.Thread(target=read_lines, args=(loop, lines), daemon=True).start()
    worker = Worker(load(app))
    version = importlib.metadata.version("langroid")
    send({"ev": "ready", "protocol": PROTOCOL, "langroid": version, "python": sys.version.split()[0]})
    await worker.serve(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Runs Langroid agents for Clewline.")
    parser.add_argument("--app", required=True, help="module:function that builds a ChatAgent or a Task")
    options = parser.parse_args()
    try:
        if not (3, 10) <= sys.version_info < (3, 14):
            raise RuntimeError(f"Langroid needs Python 3.10 to 3.13, and {sys.executable} is {sys.version.split()[0]}.")
        if importlib.util.find_spec("langroid") is None:
            raise ModuleNotFoundError(f"Langroid is not installed for {sys.executable}. Run: pip install langroid")
        survive_python_3_10()
        survive_without_tiktoken()

        import langroid
        from langroid.agent.chat_document import ChatDocMetaData, StatusCode
        from langroid.language_models.base import (
            LLMFunctionCall,
            LLMFunctionSpec,
            LLMMessage,
            OpenAIToolCall,
            Role,
        )
        from langroid.utils.configuration import settings
        from langroid.utils.object_registry import ObjectRegistry

        settings.quiet = True
        # A cached answer comes without streaming, and a thread must not hear what another was told.
        settings.cache = False
        asyncio.run(main(options.app))
    except Exception as error:
        traceback.print_exc()
        send({"ev": "fatal", "type": type(error).__name__, "message": str(error)})
        sys.exit(3)
