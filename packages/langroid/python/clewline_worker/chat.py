"""A run of a plain agent: the chat loop."""

from __future__ import annotations

import asyncio
import inspect
import traceback
from typing import Any, Optional

import langroid
from langroid.agent.chat_document import ChatDocMetaData
from langroid.language_models.base import LLMMessage, Role

from .handler import returns_to_caller, run_handler
from .handler_events import content_of, emit_end
from .history import emit_history
from .messages import to_llm_message, tool_message, writes_tools_as_text
from .responders import answers_itself, reads_messages, say
from .run import Run, ToolUse, done
from .task import results_document, result_text


async def run_chat(agent: Any, run: Run) -> dict[str, Any]:
    """Asks the model, runs its backend tools, asks again, until it speaks or a client must act."""
    message = _input_document(agent, run) if reads_messages(agent) else _append_input(agent, run)
    while True:
        said = await agent.llm_response_async(message)
        if said is None:
            return done("stop")
        uses = run.newest.get(id(agent), [])
        pending = [use.id for use in uses if use.place == "frontend"]
        if answers_itself(agent) and not pending:
            answer = await agent.agent_response_async(said)
            if answer is None:
                return done("stop")
            if not uses:
                emit_history(run, agent)
                say(run, result_text(run, answer))
                return done("stop")
            message = answer
        else:
            if not uses:
                return done("stop")
            local = [use for use in uses if use.place != "frontend"]
            await _answer_all(agent, run, local, said)
            message = _append_results(agent, run, local)
        if pending:
            return done("frontend_tools", pending)
        if returns_to_caller(run, uses):
            return done("returned")
        if run.refused > 1:
            return done("repeated")


def _input_document(agent: Any, run: Run) -> Any:
    """What the user said, for an agent that reads it."""
    given = run.request["input"]
    if given["kind"] != "tool_results":
        text = given["text"] if given["kind"] == "user" else ""
        run.session.history(agent).skip = 1
        return langroid.ChatDocument(content=text, metadata=ChatDocMetaData(sender=langroid.Entity.USER))
    run.session.history(agent).skip = 1 if writes_tools_as_text(agent) else len(given["results"])
    return results_document(agent, {one["id"]: one["content"] for one in given["results"]})


def _append_input(agent: Any, run: Run) -> Any:
    given = run.request["input"]
    if given["kind"] == "user":
        agent.message_history.append(LLMMessage(role=Role.USER, content=given["text"]))
    elif given["kind"] == "tool_results":
        is_text = writes_tools_as_text(agent)
        agent.message_history.extend(
            to_llm_message(tool_message(one["id"], one["content"]), is_text) for one in given["results"]
        )
    run.session.history(agent).length = len(agent.message_history)
    return _about_history(agent)


def _about_history(agent: Any) -> Any:
    """A message that asks about the history as it stands: `llm_response(None)` would drop its last message first, and
    text that holds JSON like that of a tool would not be answered at all."""
    document = langroid.ChatDocument(content="", metadata=ChatDocMetaData(sender=langroid.Entity.USER))
    agent.message_history[-1].chat_document_id = document.id()
    agent.oai_tool_calls = []
    return document


async def _answer_all(agent: Any, run: Run, uses: list[ToolUse], document: Any) -> None:
    """Runs the tools concurrently; results come in the order of the calls."""
    tasks = [asyncio.ensure_future(_answer(agent, run, use, document)) for use in uses]
    try:
        for use, task in zip(uses, tasks):
            content, error = await task
            if use.place == "backend":
                emit_end(run, use, content, error)
            use.content, use.is_answered = content, True
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
        return content_of(await run_handler(run, agent, tool, document, use)), None
    except Exception as error:
        traceback.print_exc()
        return f'Tool "{use.name}" failed: {error}', str(error)


def _refusal(reason: str) -> tuple[str, str]:
    return reason, reason


def _append_results(agent: Any, run: Run, uses: list[ToolUse]) -> Any:
    """Results of API calls are tool messages; those of calls written as text are one message of the user."""
    texts = [use for use in uses if use.via == "text"]
    content = (
        texts[0].content
        if len(texts) == 1
        else "\n\n".join(f"Result from {use.name}: {use.content}" for use in texts)
    )
    if reads_messages(agent) and not any(use.place == "frontend" for use in run.newest.get(id(agent), [])):
        if texts:
            return agent.create_agent_response(content=content)
        return results_document(agent, {use.id: use.content for use in uses})
    for use in uses:
        if use.via == "api":
            agent.message_history.append(LLMMessage(role=Role.TOOL, tool_call_id=use.id, content=use.content))
    if texts:
        agent.message_history.append(LLMMessage(role=Role.USER, content=content))
    emit_history(run, agent)
    return _about_history(agent)
