"""The page shows the plan, the user unticks steps or refuses, and the model hears what was decided."""

import langroid as lr
from example_model import agent


def build(thread: str) -> lr.ChatAgent:
    return agent(
        "human_in_the_loop",
        "You plan tasks with generate_task_steps and do only the steps that the user keeps.",
    )
