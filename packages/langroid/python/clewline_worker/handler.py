"""Tool handlers of the app: how they run, and what is seen of them."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from .run import current_call, current_run


def observe_handlers(agent: Any) -> None:
    """Makes an agent emit the start and the result of each tool. It patches the instance, never the class."""
    handle = agent.handle_tool_message_async

    async def observed_handle(tool: Any, chat_doc: Any = None) -> Any:
        run = current_run.get()
        call_id = getattr(tool, "id", "") or current_call.get()
        if run is None or call_id == "":
            return await handle(tool, chat_doc)
        run.emit({"ev": "tool_start", "id": call_id})
        try:
            result = await _run_handler(agent, tool, chat_doc, call_id, handle)
        except Exception as error:
            run.emit(tool_result(call_id, f'Tool "{tool.request}" failed: {error}', str(error)))
            raise
        run.emit(tool_result(call_id, content_of(result), None))
        return result

    agent.handle_tool_message_async = observed_handle


async def run_unobserved(agent: Any, tool: Any, chat_doc: Any, call_id: str) -> Any:
    """Langroid's own method, from the class: the chat loop emits starts and results itself."""
    handle = type(agent).handle_tool_message_async.__get__(agent)
    return await _run_handler(agent, tool, chat_doc, call_id, handle)


async def _run_handler(agent: Any, tool: Any, chat_doc: Any, call_id: str, handle: Any) -> Any:
    """An async handler runs on the event loop; a blocking one in a thread, or it would stall every other run."""
    token = current_call.set(call_id)
    try:
        name = getattr(tool, "_handler", tool.request)
        if getattr(agent, f"{name}_async", None) is not None:
            return await handle(tool, chat_doc)
        return await asyncio.to_thread(agent.handle_tool_message, tool, chat_doc)
    except SystemExit as error:
        # It would end the event loop, and every other run with it.
        raise RuntimeError(f"the handler called sys.exit({error.code!r})") from error
    finally:
        current_call.reset(token)


def tool_result(call_id: str, content: str, error: Optional[str]) -> dict[str, Any]:
    return {"ev": "tool_result", "id": call_id, "content": content, "error": error}


def content_of(result: Any) -> str:
    if result is None:
        return ""
    return result if isinstance(result, str) else (getattr(result, "content", None) or "")
