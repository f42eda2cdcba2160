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
from typing import Any, Callable

import langroid
from langroid.utils.configuration import settings
from langroid.utils.object_registry import ObjectRegistry

from .chat import run_chat
from .frontend_tools import add_frontend_tools
from .model_call import ModelBrokeOff
from .run import MaxTurns, Run, UserAsked, current_agent, current_run, done
from .session import Session
from .task import run_task
from .wire import PROTOCOL, send, start_reading


async def serve(app: str) -> None:
    """Serves an app until the parent closes the input or asks for a shutdown."""
    settings.quiet = True
    # A cached answer does not stream, and the cache is shared by all threads.
    settings.cache = False
    lines = start_reading()
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
    found = getattr(importlib.import_module(module), name or "build")
    if not callable(found):
        raise TypeError(f"{app} is not a function that builds an agent")
    return found


class Worker:
    def __init__(self, build: Callable[..., Any]) -> None:
        self._build = build
        self._sessions: dict[str, Session] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}

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
                task.cancel()
        elif op == "evict":
            session = self._sessions.pop(request["thread"], None)
            if session is not None:
                session.close()
        elif op == "shutdown":
            raise SystemExit
        elif op != "ping":
            raise ValueError(f"unknown op {op!r}")

    def stop(self) -> None:
        for task in list(self._runs.values()):
            task.cancel()

    async def _run(self, request: dict[str, Any]) -> None:
        """One run, to its one terminal event."""
        run = Run(request)
        current_run.set(run)
        try:
            session = await self._session(request["thread"])
            async with session.lock:
                current_agent.set(session.agent)
                session.seed(request["messages"])
                remove = add_frontend_tools(session.agent, run)
                try:
                    ending = await (
                        run_chat(session.agent, run) if session.task is None else run_task(session.task, run)
                    )
                finally:
                    remove()
                    self._evict_documents()
            run.end(ending)
        except asyncio.CancelledError:
            run.end(done("cancelled"))
        except MaxTurns:
            run.end(done("max_turns"))
        except UserAsked:
            run.end(done("stop"))
        except BaseException as error:
            traceback.print_exc()
            code = "LLM" if _is_model_error(error) else "INTERNAL"
            run.end({"ev": "error", "code": code, "type": type(error).__name__, "message": str(error)})
        finally:
            self._runs.pop(run.id, None)

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
    shapes = {"run": str, "thread": str, "messages": list, "input": dict, "tools": list, "limits": dict, "return_after": list}
    for key, kind in shapes.items():
        if not isinstance(request.get(key), kind):
            raise ValueError(f"{key} must be a {kind.__name__}")
    if request["input"].get("kind") not in ("user", "tool_results", "continue"):
        raise ValueError("input.kind must be user, tool_results or continue")


def _is_model_error(error: BaseException) -> bool:
    return isinstance(error, ModelBrokeOff) or type(error).__module__.split(".")[0] in ("openai", "httpx", "litellm")
