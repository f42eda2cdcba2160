"""Tool handlers of the app: how they run, and what is seen of them."""

from __future__ import annotations

import asyncio
import functools
from contextvars import ContextVar
from typing import Any, Optional

from langroid.agent.base import Agent

from .agent_memory import attributes_of, changes, restore_attributes
from .handler_events import content_of, emit_end
from .history import emit_history
from .journal import key_of
from .messages import tool_message
from .run import Run, Stop, ToolUse, current_call, current_run, done
from .tool_results import decode_result, encode_result, tool_args

# Langroid's async method calls the blocking one where a tool has no async handler: the outer one counts.
_current_tool: ContextVar[Any] = ContextVar("clewline_tool", default=None)

_handle, _handle_async = Agent.handle_tool_message, Agent.handle_tool_message_async


def observe_handlers() -> None:
    """Makes every agent emit the start and the result of each tool that a model asked for."""

    @functools.wraps(_handle)
    def observed(self: Any, tool: Any, chat_doc: Any = None) -> Any:
        run, use = _asked_for(self, tool)
        if run is None or use is None:
            return _handle(self, tool, chat_doc)
        run.emit({"ev": "tool_start", "id": use.id})
        try:
            result = _known(run, self, tool, use) or [_run_blocking(run, self, tool, chat_doc, use)]
        except Exception as error:
            _emit_failure(run, use, error)
            raise
        return _emit_success(run, self, use, result[0])

    @functools.wraps(_handle_async)
    async def observed_async(self: Any, tool: Any, chat_doc: Any = None) -> Any:
        run, use = _asked_for(self, tool)
        if run is None or use is None:
            return await _handle_async(self, tool, chat_doc)
        run.emit({"ev": "tool_start", "id": use.id})
        try:
            result = await run_handler(run, self, tool, chat_doc, use)
        except Exception as error:
            _emit_failure(run, use, error)
            raise
        return _emit_success(run, self, use, result)

    setattr(Agent, "handle_tool_message", observed)
    setattr(Agent, "handle_tool_message_async", observed_async)


async def run_handler(run: Run, agent: Any, tool: Any, chat_doc: Any, use: ToolUse) -> Any:
    """An async handler runs on the event loop; a blocking one in a thread, or it would stall every other run."""
    known = _known(run, agent, tool, use)
    if known:
        return known[0]
    name = getattr(tool, "_handler", tool.request)
    if getattr(agent, f"{name}_async", None) is None:
        return await asyncio.to_thread(_run_blocking, run, agent, tool, chat_doc, use)
    before = attributes_of(agent)
    call, current = current_call.set(use.id), _current_tool.set(tool)
    try:
        return _noted(run, agent, tool, use, before, await agent.handle_tool_message_async(tool, chat_doc))
    except (Exception, SystemExit) as error:
        raise _noted_failure(run, agent, tool, use, error) from error
    finally:
        current_call.reset(call)
        _current_tool.reset(current)


def _run_blocking(run: Run, agent: Any, tool: Any, chat_doc: Any, use: ToolUse) -> Any:
    before = attributes_of(agent)
    call, current = current_call.set(use.id), _current_tool.set(tool)
    try:
        return _noted(run, agent, tool, use, before, agent.handle_tool_message(tool, chat_doc))
    except (Exception, SystemExit) as error:
        raise _noted_failure(run, agent, tool, use, error) from error
    finally:
        current_call.reset(call)
        _current_tool.reset(current)


def _asked_for(agent: Any, tool: Any) -> tuple[Optional[Run], Optional[ToolUse]]:
    run = current_run.get()
    if run is None or _current_tool.get() is tool or not run.session.has(agent):
        return None, None
    run.check()
    return run, run.use_of(tool)


def _key(agent: Any, tool: Any, use: ToolUse) -> str:
    return key_of("tool", agent.config.name, tool.request, tool_args(tool), use.id)


def _known(run: Run, agent: Any, tool: Any, use: ToolUse) -> list[Any]:
    """The result that an earlier attempt of this run got, and what its handler had changed of the agent."""
    known = run.journal.take(_key(agent, tool, use))
    if not known:
        run.journal.go_live()
        return []
    if "error" in known[0]:
        raise RuntimeError(known[0]["error"])
    restore_attributes(agent, known[0]["attributes"])
    return [decode_result(agent, known[0]["result"])]


def _noted(run: Run, agent: Any, tool: Any, use: ToolUse, before: dict[str, Any], result: Any) -> Any:
    value = {"result": encode_result(result), "attributes": changes(before, attributes_of(agent))}
    run.journal.note(_key(agent, tool, use), value)
    return result


def _noted_failure(run: Run, agent: Any, tool: Any, use: ToolUse, error: BaseException) -> Exception:
    """A failure is a result, too. `SystemExit` would end the event loop, and every other run with it."""
    failure = error if isinstance(error, Exception) else RuntimeError(f"the handler called sys.exit({error.args[0] if error.args else None!r})")
    run.journal.note(_key(agent, tool, use), {"error": str(failure)})
    return failure


def _emit_failure(run: Run, use: ToolUse, error: Exception) -> None:
    emit_end(run, use, f'Tool "{use.name}" failed: {error}', str(error))


def _emit_success(run: Run, agent: Any, use: ToolUse, result: Any) -> Any:
    emit_end(run, use, content_of(result), None)
    uses = run.newest.get(id(agent), [])
    if agent is run.session.agent and returns_to_caller(run, uses):
        emit_history(run, agent)
        for one in uses:
            run.emit({"ev": "message", "message": tool_message(one.id, one.content)})
        raise Stop(done("returned"))
    return result


def returns_to_caller(run: Run, uses: list[ToolUse]) -> bool:
    """The caller words the answer to these tools itself. Asked again about the same ones, it had no words for them."""
    names = run.request["return_after"]
    if not uses or not all(use.is_answered and use.name in names for use in uses):
        return False
    key = key_of("returned", [use.id for use in uses])
    if run.journal.take(key):
        return False
    run.journal.note(key, True)
    return True
