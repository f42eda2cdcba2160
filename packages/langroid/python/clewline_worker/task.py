"""A run of a Langroid task."""

from __future__ import annotations

from typing import Any, Optional

import langroid
from langroid.agent.task import InfiniteLoopException

from .handler_events import emit_result
from .history import emit_history
from .responders import say
from .run import Run, done
from .signals import without_signals
from .tool_results import tool_args
from .wire import to_json


async def run_task(task: Any, run: Run) -> dict[str, Any]:
    """Langroid's own loop. A tool of the client, a question and a limit end it from within (see `Stop`)."""
    agent, given = task.agent, run.request["input"]
    run.session.history(agent).skip = _count_messages(agent, given)
    with _input(task, given):
        try:
            # A thread is one conversation: Langroid would begin a new one with each run.
            result = await task.run_async(_document(agent, given), session_id=run.id, allow_restart=False)
        except InfiniteLoopException:
            return {
                "ev": "error",
                "code": "LOOP",
                "type": "InfiniteLoopError",
                "message": f'The task "{task.name}" repeats itself. Adjust its `cycles`, or give it a way to be done.',
            }
    emit_history(run, agent)
    run.journal.go_live()
    if result is None:
        return done("stalled")
    text = result_text(run, result)
    for use in run.newest.get(id(agent), []):
        # A tool that ended the task, which no handler has answered.
        emit_result(run, use, text, None)
    if text.strip() != run.last_said:
        say(run, text)
    return done("stop")


def result_text(run: Run, result: Any) -> str:
    """What a task came to: its words, or the fields of a tool that carries its result. Calls of the model are shown as such."""
    if not isinstance(result, langroid.ChatDocument):
        return to_json(result.model_dump(mode="json")) if hasattr(result, "model_dump") else str(result)
    text = without_signals(result.content or "")
    if text and text == without_signals(run.last_answer):
        return ""
    if text:
        return text
    made = [tool for tool in result.tool_messages if not _is_call(run, tool)]
    return "\n".join(to_json({k: v for k, v in tool_args(tool).items() if k != "tools"}) for tool in made)


def _is_call(run: Run, tool: Any) -> bool:
    return any(use.name == tool.request and use.args == tool_args(tool) for use in run.uses.values())


class _input:
    """Results of the client's tools come from the agent: it must not be asked to answer them itself."""

    def __init__(self, task: Any, given: dict[str, Any]) -> None:
        self._task, self._is_results = task, given["kind"] == "tool_results"

    def __enter__(self) -> None:
        task, init = self._task, self._task.init
        if not self._is_results:
            return

        def initialised(message: Any = None) -> Any:
            pending = init(message)
            task.pending_sender = langroid.Entity.AGENT
            return pending

        task.init = initialised

    def __exit__(self, *_failure: Any) -> None:
        if self._is_results:
            del self._task.init


def _count_messages(agent: Any, given: dict[str, Any]) -> int:
    calls = _open_calls(agent)
    return len(given["results"]) if given["kind"] == "tool_results" and calls else 1


def _open_calls(agent: Any) -> list[Any]:
    return list((agent.message_history[-1].tool_calls or []) if agent.message_history else [])


def _document(agent: Any, given: dict[str, Any]) -> Any:
    """The input as a task takes it."""
    if given["kind"] != "tool_results":
        return given["text"] if given["kind"] == "user" else ""
    return results_document(agent, {one["id"]: one["content"] for one in given["results"]})


def results_document(agent: Any, results: dict[str, str]) -> Any:
    """Results of the calls in the newest answer, as an agent gives them to its model."""
    agent.oai_tool_calls = _open_calls(agent)
    content: Optional[str] = next(iter(results.values()), "") if len(results) == 1 else ""
    if not agent.oai_tool_calls:
        return agent.create_agent_response(content="\n\n".join(results.values()))
    document = agent.create_agent_response(
        content=content, oai_tool_id2result=results if len(results) > 1 else None
    )
    if len(results) == 1:
        document.metadata.oai_tool_id = next(iter(results))
    return document
