"""The agent or the task of one thread, observed."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

import langroid

from .agent_memory import attributes_of, messages_of, restore_attributes, restore_messages
from .history import History
from .journaled_models import journal_model
from .messages import to_llm_message, writes_tools_as_text
from .model_call import stream_to_us
from .questions import ask_through_us
from .responders import observe_responders, rewire
from .sub_tasks import observe_sub_task, sub_tasks_of


class Session:
    """An agent or a task of one thread, and the agents of its sub-tasks. Its lock makes runs of the thread take turns."""

    def __init__(self, built: Any) -> None:
        self.task = built if isinstance(built, langroid.Task) else None
        self.agent = built.agent if self.task is not None else built
        self.lock = asyncio.Lock()
        self._histories: dict[int, History] = {}
        # By their place in the tree, which is the same in every process: names need not be unique.
        self._tasks = {} if self.task is None else {"main": self.task, **sub_tasks_of(self.task, "main")}
        self._agents = {"main": self.agent, **{path: task.agent for path, task in self._tasks.items()}}
        self._task_of = {id(task.agent): task for task in self._tasks.values()}
        for agent in {id(agent): agent for agent in self._agents.values()}.values():
            journal_model(agent.llm)
            stream_to_us(agent)
            observe_responders(agent)
            ask_through_us(agent, self._task_of.get(id(agent)), agent is self.agent)
        for path, task in self._tasks.items():
            rewire(task)
            if path != "main":
                observe_sub_task(task)

    def has(self, agent: Any) -> bool:
        return any(agent is one for one in self._agents.values())

    def handles(self, name: str) -> bool:
        return any(name in agent.llm_tools_handled for agent in self._agents.values())

    def has_signals(self, agent: Any) -> bool:
        task = self._task_of.get(id(agent))
        return task is not None and task.config.recognize_string_signals

    def history(self, agent: Any) -> History:
        return self._histories.setdefault(id(agent), History(len(agent.message_history)))

    def seed(self, messages: list[dict[str, Any]], memory: Optional[dict[str, Any]]) -> None:
        """Replaces what the agents remember by the caller's. The system message is Langroid's own."""
        known = memory or {}
        for path, agent in self._agents.items():
            remembered = known.get(path, {})
            restore_messages(agent, remembered.get("messages", []))
            restore_attributes(agent, remembered.get("attributes", {}))
        agent = self.agent
        agent.message_history = []
        agent.init_message_history()
        del agent.message_history[1:]
        is_text = writes_tools_as_text(agent)
        agent.message_history.extend(to_llm_message(message, is_text) for message in messages)
        self._histories = {id(one): History(len(one.message_history)) for one in self._agents.values()}

    def memory(self) -> dict[str, Any]:
        """What the next run must know besides the main agent's messages, which the caller has."""
        return {
            path: {
                "messages": [] if agent is self.agent else messages_of(agent),
                "attributes": attributes_of(agent),
            }
            for path, agent in self._agents.items()
        }

    def close(self) -> None:
        for agent in self._agents.values():
            if agent.message_history:
                agent.clear_history(0)
            langroid.Agent.delete_id(agent.id)
