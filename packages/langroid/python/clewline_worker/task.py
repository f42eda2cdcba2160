"""A run of a Langroid task, step by step: `Task.run` would stall on a tool that only the client can answer."""

from __future__ import annotations

from typing import Any

import langroid
from langroid.agent.chat_document import StatusCode

from .messages import emit_messages
from .run import Run, done


async def run_task(task: Any, run: Run) -> dict[str, Any]:
    agent, given = task.agent, run.request["input"]
    is_results = given["kind"] == "tool_results"
    seen = len(agent.message_history)
    # Of what the history gains, the input is not news.
    skip = len(given["results"]) if is_results else 1
    _init(task, run.id, _document(agent, given))
    if is_results:
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
        waiting = _frontend_calls(run, agent, pending)
        if waiting:
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


def _document(agent: Any, given: dict[str, Any]) -> Any:
    """The input as a task takes it."""
    if given["kind"] != "tool_results":
        return given["text"] if given["kind"] == "user" else ""
    calls = (agent.message_history[-1].tool_calls or []) if agent.message_history else []
    agent.oai_tool_calls = list(calls)
    results = {one["id"]: one["content"] for one in given["results"]}
    document = agent.create_agent_response(
        content=next(iter(results.values()), "") if len(results) == 1 else "",
        oai_tool_id2result=results if len(results) > 1 else None,
    )
    if len(results) == 1:
        document.metadata.oai_tool_id = next(iter(results))
    return document


def _init(task: Any, session_id: str, document: Any) -> None:
    """What `Task.run_async` does before its first step (Langroid 0.65.16); `Task.init` is only a part of it."""
    task.n_stalled_steps = 0
    task.max_cost, task.max_tokens, task._no_answer_step, task.n_no_answer_alternations = 0, 0, -5, 0
    task.session_id, task.response_sequence, task.is_done = session_id, [], False
    task._init_message_counter()
    task.history.clear()
    task._set_alive()
    task.caller = None
    task.init(document)


def _frontend_calls(run: Run, agent: Any, pending: Any) -> list[str]:
    """Calls in the model's newest answer that wait for the client."""
    if pending is None or pending.metadata.sender != langroid.Entity.LLM:
        return []
    return [call.id for call in pending.oai_tool_calls or [] if run.place(agent, call.function.name) == "frontend"]
