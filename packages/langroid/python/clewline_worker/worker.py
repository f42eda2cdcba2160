"""Requests in, runs out: the sessions and runs of one worker."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import inspect
import json
import os
import sys
import traceback
from typing import Any, Callable, Optional

import langroid
from langroid.utils.configuration import settings
from langroid.utils.object_registry import ObjectRegistry

from .chat import run_chat
from .frontend_tools import add_frontend_tools
from .handler import observe_handlers
from .history import emit_history
from .journaled_models import ModelBrokeOff, journal_models
from .model_call import observe_models
from .run import Run, Stop, current_run, done
from .session import Session
from .task import run_task
from .wire import PROTOCOL, send, start_reading


async def serve(app: str) -> None:
    """Serves an app until the parent closes the input or asks for a shutdown."""
    settings.quiet = True
    # A cached answer does not stream, and the cache is shared by all threads.
    settings.cache = False
    lines = start_reading()
    journal_models()
    observe_models()
    observe_handlers()
    worker = Worker(_load(app))
    version = importlib.metadata.version("langroid")
    send({"ev": "ready", "protocol": PROTOCOL, "langroid": version, "python": sys.version.split()[0]})
    while True:
        line = await lines.get()
        if line is None:
            break
        request: dict[str, Any] = {}
        try:
            request = json.loads(line)
            worker.accept(request)
            send({"re": request["id"], "ok": True})
        except SystemExit:
            break
        except Exception as error:
            send({"re": str(request.get("id", "")), "ok": False, "error": f"{type(error).__name__}: {error}"})
    worker.stop()


def _load(app: str) -> Callable[..., Any]:
    module, _, name = app.partition(":")
    sys.path.insert(0, os.getcwd())
    found = getattr(importlib.import_module(module), name or "build", None)
    if found is None:
        raise AttributeError(f'The module "{module}" has no function "{name or "build"}": `app` is "module:function".')
    if not callable(found):
        raise TypeError(f"{app} is not a function that builds an agent")
    return found


class Worker:
    def __init__(self, build: Callable[..., Any]) -> None:
        self._build = build
        self._sessions: dict[str, Session] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._running: dict[str, Run] = {}

    def accept(self, request: dict[str, Any]) -> None:
        if request.get("v") != PROTOCOL:
            raise ValueError(f"protocol {request.get('v')!r} is not {PROTOCOL}")
        op = request["op"]
        if op == "run":
            _check_run(request)
            if request["run"] in self._runs:
                raise ValueError("this run is already going on")
            self._runs[request["run"]] = asyncio.get_running_loop().create_task(self._run(request))
        elif op == "cancel":
            task = self._runs.get(request["run"])
            if task is not None:
                self._cancel(request["run"], task)
        elif op == "evict":
            session = self._sessions.pop(request["thread"], None)
            if session is not None:
                session.close()
        elif op == "shutdown":
            raise SystemExit
        elif op != "ping":
            raise ValueError(f"unknown op {op!r}")

    def stop(self) -> None:
        for run_id, task in list(self._runs.items()):
            self._cancel(run_id, task)

    def _cancel(self, run_id: str, task: asyncio.Task[None]) -> None:
        run = self._running.get(run_id)
        if run is not None:
            run.is_cancelled = True
        task.cancel()

    async def _run(self, request: dict[str, Any]) -> None:
        """One run, to its one terminal event."""
        run: Optional[Run] = None
        try:
            session = await self._session(request["thread"])
            async with session.lock:
                run = self._running[request["run"]] = Run(request, session)
                current_run.set(run)
                session.seed(request["messages"], request["memory"])
                remove = add_frontend_tools(session.agent, run)
                try:
                    run.journal.begin()
                    ending = await self._drive(session, run)
                    run.journal.end()
                    if ending["ev"] == "done":
                        run.emit({"ev": "memory", "memory": session.memory()})
                finally:
                    remove()
                    self._evict_documents()
        except asyncio.CancelledError:
            ending = done("cancelled")
        except BaseException as error:
            traceback.print_exc()
            code = "LLM" if _is_model_error(error) else "INTERNAL"
            ending = {"ev": "error", "code": code, "type": type(error).__name__, "message": str(error)}
        if ending["ev"] == "error" or ending.get("reason") == "cancelled":
            # A thread of the app may still work with these agents.
            self._sessions.pop(request["thread"], None)
        if run is None:
            send({**ending, "run": request["run"]})
        else:
            run.end(ending)
        self._runs.pop(request["run"], None)
        self._running.pop(request["run"], None)

    async def _drive(self, session: Session, run: Run) -> dict[str, Any]:
        try:
            return await (run_chat(session.agent, run) if session.task is None else run_task(session.task, run))
        except Stop as stop:
            emit_history(run, session.agent)
            return stop.ending

    async def _session(self, thread: str) -> Session:
        if thread not in self._sessions:
            takes_thread = len(inspect.signature(self._build).parameters) > 0
            # Building an agent blocks for a tenth of a second or more (certificates, tokenizers): other runs go on.
            built = await asyncio.to_thread(self._build, *([thread] if takes_thread else []))
            if not isinstance(built, (langroid.ChatAgent, langroid.Task)):
                raise TypeError(f"The app must return a ChatAgent or a Task, not {type(built).__name__}.")
            self._sessions[thread] = Session(built)
        return self._sessions[thread]

    def _evict_documents(self) -> None:
        """Langroid's registry leaks: it keeps every document for ever. Runs bring their history, so old ones can go."""
        is_alone = len(self._runs) <= 1
        if not is_alone and len(ObjectRegistry.registry) < 10_000:
            return
        old = [key for key, value in ObjectRegistry.registry.items() if isinstance(value, langroid.ChatDocument)]
        for key in old if is_alone else old[:-1000]:
            ObjectRegistry.remove(key)


def _check_run(request: dict[str, Any]) -> None:
    shapes = {"run": str, "thread": str, "messages": list, "input": dict, "tools": list, "limits": dict, "return_after": list, "journal": list}
    for key, kind in shapes.items():
        if not isinstance(request.get(key), kind):
            raise ValueError(f"{key} must be a {kind.__name__}")
    if request["input"].get("kind") not in ("user", "tool_results", "continue"):
        raise ValueError("input.kind must be user, tool_results or continue")


def _is_model_error(error: BaseException) -> bool:
    return isinstance(error, ModelBrokeOff) or type(error).__module__.split(".")[0] in ("openai", "httpx", "litellm")
