"""The agent or the task of one thread, observed."""

from __future__ import annotations

import asyncio
from typing import Any

import langroid

from .handler import content_of, observe_handlers
from .messages import to_llm_message, writes_tools_as_text
from .model_call import observe_model
from .run import UserAsked, current_agent, current_run


class Session:
    """An agent or a task of one thread. Its lock makes runs of the thread take turns."""

    def __init__(self, built: Any) -> None:
        self.task = built if isinstance(built, langroid.Task) else None
        self.agent = built.agent if self.task is not None else built
        self.lock = asyncio.Lock()
        sub_tasks = [] if self.task is None else _sub_tasks(self.task)
        self._agents = [self.agent, *(task.agent for task in sub_tasks)]
        for agent in self._agents:
            observe_model(agent)
            observe_handlers(agent)
        if self.task is not None:
            _end_when_user_is_asked(self.task)
        for task in sub_tasks:
            _end_when_user_is_asked(task)
            _observe_sub_task(task)

    def seed(self, messages: list[dict[str, Any]]) -> None:
        """Replaces the history by the caller's. The system message is Langroid's own."""
        agent = self.agent
        agent.message_history = []
        agent.init_message_history()
        del agent.message_history[1:]
        is_text = writes_tools_as_text(agent)
        agent.message_history.extend(to_llm_message(message, is_text) for message in messages)
        agent.oai_tool_calls = []

    def close(self) -> None:
        for agent in self._agents:
            if agent.message_history:
                agent.clear_history(0)
            langroid.Agent.delete_id(agent.id)


def _sub_tasks(task: Any) -> list[Any]:
    return [found for sub in task.sub_tasks for found in [sub, *_sub_tasks(sub)]]


def _observe_sub_task(task: Any) -> None:
    run_async = task.run_async

    async def observed(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return await run_async(*args, **kwargs)
        run.emit({"ev": "step", "phase": "start", "name": task.name})
        token = current_agent.set(task.agent)
        try:
            result = await run_async(*args, **kwargs)
        finally:
            current_agent.reset(token)
        run.emit({"ev": "step", "phase": "end", "name": task.name, "result": content_of(result)})
        return result

    task.run_async = observed


def _end_when_user_is_asked(task: Any) -> None:
    """At a terminal the user answers the model, and presses Enter on what a tool said. The latter is done here."""
    callbacks = task.agent.callbacks
    if callbacks.get_user_response is not None or callbacks.get_user_response_async is not None:
        return

    async def ask(**_options: Any) -> str:
        metadata = task.pending_message.metadata
        if metadata.sender == langroid.Entity.LLM or metadata.recipient == langroid.Entity.USER:
            raise UserAsked()
        return ""

    callbacks.get_user_response_async = ask
