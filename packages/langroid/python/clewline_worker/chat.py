"""A run of a plain agent: the chat loop."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from typing import Any, Optional

import langroid
from langroid.agent.chat_document import ChatDocMetaData
from langroid.language_models.base import LLMMessage, Role

from .handler import content_of, run_unobserved, tool_result
from .messages import emit_messages, to_llm_message, tool_message, writes_tools_as_text
from .model_call import api_uses
from .run import Run, ToolUse, done


async def run_chat(agent: Any, run: Run) -> dict[str, Any]:
    """Asks the model, runs its backend tools, asks again, until it speaks or a client must act."""
    _append_input(agent, run.request["input"])
    while True:
        before = len(agent.message_history)
        document = await _ask(agent)
        if document is None:
            return done("stop")
        emit_messages(run, agent, before)
        uses = api_uses(run, agent, document) or run.turn.text_uses
        if not uses:
            return done("stop")
        local = [use for use in uses if use.place != "frontend"]
        await _answer_all(agent, run, local, document)
        _append_results(agent, local)
        for use in local:
            run.emit({"ev": "message", "message": tool_message(use.id, use.content)})
        run.waiting = []
        pending = [use.id for use in uses if use.place == "frontend"]
        if pending:
            return done("frontend_tools", pending)
        if all(use.name in run.request["return_after"] for use in local):
            return done("returned")
        if run.refused > 1:
            return done("repeated")


def _append_input(agent: Any, given: dict[str, Any]) -> None:
    if given["kind"] == "user":
        agent.message_history.append(LLMMessage(role=Role.USER, content=given["text"]))
    elif given["kind"] == "tool_results":
        is_text = writes_tools_as_text(agent)
        agent.message_history.extend(
            to_llm_message(tool_message(one["id"], one["content"]), is_text) for one in given["results"]
        )


async def _ask(agent: Any) -> Any:
    """Asks about the history as it stands. `llm_response_async(None)` would drop its last message first."""
    last = agent.message_history[-1]
    document = langroid.ChatDocument(content="", metadata=ChatDocMetaData(sender=langroid.Entity.USER))
    last.chat_document_id = document.id()
    agent.oai_tool_calls = []
    try:
        return await agent.llm_response_async(document)
    finally:
        langroid.ChatDocument.delete_id(document.id())


async def _answer_all(agent: Any, run: Run, uses: list[ToolUse], document: Any) -> None:
    """Runs the tools concurrently; results come in the order of the calls."""
    tasks = [asyncio.ensure_future(_answer(agent, run, use, document)) for use in uses]
    try:
        for use, task in zip(uses, tasks):
            use.content, error = await task
            if use.place == "backend":
                run.emit(tool_result(use.id, use.content, error))
    finally:
        for task in tasks:
            task.cancel()


async def _answer(agent: Any, run: Run, use: ToolUse, document: Any) -> tuple[str, Optional[str]]:
    """The result for the model, and the error if it is one."""
    if use.place == "unknown":
        names = [n for n in agent.llm_tools_map if n in agent.llm_tools_usable]
        return _refusal(f'There is no tool named "{use.name}". Tools you may use: {", ".join(names) or "none"}.')
    tool_class = agent.llm_tools_map[use.name]
    run.emit({"ev": "tool_start", "id": use.id})
    try:
        tool = tool_class.model_validate({**use.args, "request": use.name})
    except Exception as error:
        reason = agent.tool_validation_error(error, tool_class) if hasattr(error, "errors") else str(error)
        return _refusal(inspect.cleandoc(reason))
    if not run.claim_repeat(use.name, use.args):
        limit = run.request["limits"]["max_repeats"]
        return _refusal(
            f'You called "{use.name}" with the same arguments {limit} times already. Answer with what you know.'
        )
    tool.id = use.id if use.via == "api" else ""
    try:
        return content_of(await run_unobserved(agent, tool, document, use.id)), None
    except Exception as error:
        traceback.print_exc()
        return f'Tool "{use.name}" failed: {error}', str(error)


def _refusal(reason: str) -> tuple[str, str]:
    return reason, reason


def _append_results(agent: Any, uses: list[ToolUse]) -> None:
    """Results of API calls are tool messages; those of calls written as text are one message of the user."""
    for use in uses:
        if use.via == "api":
            agent.message_history.append(LLMMessage(role=Role.TOOL, tool_call_id=use.id, content=use.content))
    texts = [use for use in uses if use.via == "text"]
    if not texts:
        return
    content = (
        texts[0].content
        if len(texts) == 1
        else "\n\n".join(f"Result from {use.name}: {use.content}" for use in texts)
    )
    agent.message_history.append(LLMMessage(role=Role.USER, content=content))
