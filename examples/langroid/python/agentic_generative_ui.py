"""A long tool that shows its progress in the shared state while it works."""

import time
from typing import List

import langroid as lr
from example_model import agent
from clewline_worker import update


class StartTask(lr.ToolMessage):
    request: str = "start_task"
    purpose: str = "To work through <steps>, one after the other, while the user watches."
    steps: List[str]

    def handle(self) -> str:
        shown = [{"description": step, "status": "pending"} for step in self.steps]
        update(state={"steps": shown})
        for done, step in enumerate(shown, start=1):
            time.sleep(0.05)
            step["status"] = "completed"
            update(state={"steps": shown}, done=done, total=len(shown))
        return f"All {len(shown)} steps are completed."


def build(thread: str) -> lr.ChatAgent:
    built = agent("agentic_generative_ui", "You plan a task as short steps and start it with start_task.")
    built.enable_message(StartTask)
    return built
