"""Tasks whose every model call is noted in a file, with the process that made it, so that a test can aim its kills.

Answers follow from what was said last, and not from how often the model was asked: a process that begins anew gives the
same ones.
"""

import asyncio
import os

import langroid as lr
import langroid.language_models as lm
from langroid.agent.task import TaskConfig

CALLS = os.environ.get("CALLS", os.devnull)


class Square(lr.ToolMessage):
    request: str = "square"
    purpose: str = "To square a <number>."
    number: int

    def handle(self) -> str:
        return f"the square is {self.number**2}"


def agent(name: str, answers: dict[str, str], *tools: type[lr.ToolMessage]) -> lr.ChatAgent:
    async def answer(text: str) -> str:
        with open(CALLS, "a") as calls:
            calls.write(f"{name} {os.getpid()}\n")
        await asyncio.sleep(0.4)
        return answers.get(text, f"{name} has no answer to: {text}")

    made = lr.ChatAgent(lr.ChatAgentConfig(name=name, llm=lm.MockLMConfig(response_fn_async=answer)))
    made.enable_message(list(tools))
    return made


def task(of: lr.ChatAgent, **options: object) -> lr.Task:
    quiet = TaskConfig(enable_loggers=False, enable_html_logging=False)
    return lr.Task(of, config=quiet, **{"interactive": False, "restart": False, **options})


def build(thread: str) -> lr.Task:
    """Two sub-tasks, one of them with a tool: six model calls."""
    main = agent(
        "main",
        {
            "go": "__SEND__:adder what is 2 and 3?",
            "five": "__SEND__:squarer square 5",
            "25": "DONE The square of the sum is 25.",
        },
    )
    adder = agent("adder", {"what is 2 and 3?": "DONE five"})
    squarer = agent(
        "squarer", {"square 5": 'TOOL: {"request": "square", "number": 5}', "the square is 25": "DONE 25"}, Square
    )
    top = task(main)
    top.add_sub_task([task(adder), task(squarer)])
    return top


def build_asking(thread: str) -> lr.Task:
    """A sub-task that asks its user, and remembers across runs what it was told."""
    main = agent(
        "main",
        {
            "paint": "which colour?",
            "blue": "DONE It is blue.",
            "again": "the same colour?",
            "still blue": "DONE Still blue.",
        },
    )
    painter = agent("painter", {"which colour?": "Blue or red?", "blue please": "DONE blue", "the same colour?": "DONE still blue"})
    top = task(main)
    top.add_sub_task(task(painter, interactive=True))
    return top
