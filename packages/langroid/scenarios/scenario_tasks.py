"""The tasks of scenarios.json in real Langroid, with a model that answers from its script.

`build(name)` is an app for the worker: a thread is named after its scenario. The same in TypeScript: src/testing/scenario-task.ts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import langroid as lr
import langroid.language_models as lm
from langroid.agent.task import TaskConfig
from langroid.agent.tools import orchestration as orch
from langroid.agent.tools.recipient_tool import RecipientTool
from langroid.language_models.base import LLMFunctionCall, LLMResponse, LLMTokenUsage, OpenAIToolCall

HERE = Path(__file__).parent
SCENARIOS: dict[str, dict[str, Any]] = {one["name"]: one for one in json.loads((HERE / "scenarios.json").read_text())}


class Square(lr.ToolMessage):
    request: str = "square"
    purpose: str = "To square a <number>."
    number: int

    def handle(self) -> str:
        return str(self.number**2)


class Echo(lr.ToolMessage):
    request: str = "echo"
    purpose: str = "To say <text>."
    text: str

    def handle(self) -> str:
        return self.text


class Fail(lr.ToolMessage):
    request: str = "fail"
    purpose: str = "To fail."

    def handle(self) -> str:
        raise RuntimeError("kaputt")


class Silent(lr.ToolMessage):
    request: str = "silent"
    purpose: str = "To say nothing."

    def handle(self) -> None:
        return None


class Lookup(lr.ToolMessage):
    request: str = "lookup"
    purpose: str = "To look up a <city>."
    city: str

    def handle(self) -> Any:
        return {"city": self.city, "people": 7}


class Secret(lr.ToolMessage):
    request: str = "secret"
    purpose: str = "To open the safe."
    code: int

    def handle(self) -> str:
        return f"opened {self.code}"


class Chain(lr.ToolMessage):
    request: str = "chain"
    purpose: str = "To hand on to square, with <number>."
    number: int

    def handle(self) -> Any:
        return Square(number=self.number)


class Finish(lr.ToolMessage):
    request: str = "finish"
    purpose: str = "To finish with <answer>."
    answer: str

    def handle(self) -> Any:
        return orch.AgentDoneTool(content=self.answer)


class FinishWith(lr.ToolMessage):
    request: str = "finish_with"
    purpose: str = "To finish with a tool for <number>."
    number: int

    def handle(self) -> Any:
        return orch.AgentDoneTool(tools=[Square(number=self.number)])


class Report(lr.ToolMessage):
    request: str = "report"
    purpose: str = "To report a <city>."
    city: str

    def handle(self) -> Any:
        return orch.ResultTool(city=self.city)


class Conclude(lr.ToolMessage):
    request: str = "conclude"
    purpose: str = "To conclude with a <city>."
    city: str

    def handle(self) -> Any:
        return orch.FinalResultTool(city=self.city)


class Tell(lr.ToolMessage):
    request: str = "tell"
    purpose: str = "To tell <words> to <whom>."
    whom: str
    words: str

    def handle(self) -> Any:
        return orch.AgentSendTool(to=self.whom, content=self.words)


class HandOver(lr.ToolMessage):
    request: str = "hand_over"
    purpose: str = "To hand the message over to <whom>."
    whom: str

    def handle(self) -> Any:
        return orch.ForwardTool(agent=self.whom)


TOOLS = {
    tool.default_value("request"): tool
    for tool in (
        *(Square, Echo, Fail, Silent, Lookup, Secret, Chain, Finish, FinishWith, Report, Conclude, Tell, HandOver),
        *(orch.DoneTool, orch.PassTool, orch.DonePassTool, orch.ForwardTool, orch.SendTool, RecipientTool),
    )
}

asked: list[str] = []
"""The agents whose models were asked, in order."""


class ScriptConfig(lm.MockLMConfig):
    agent: str = ""
    answers: list[Any] = []


class Script(lm.MockLM):
    """Answers in order, the last one for ever. Unlike MockLM it can call tools."""

    def __init__(self, config: ScriptConfig) -> None:
        super().__init__(config)
        self.next = 0

    def answer(self) -> LLMResponse:
        config: Any = self.config
        asked.append(config.agent)
        said = config.answers[min(self.next, len(config.answers) - 1)]
        self.next += 1
        said = {"text": said} if isinstance(said, str) else said
        calls = [
            OpenAIToolCall(
                id=call["id"], type="function", function=LLMFunctionCall(name=call["name"], arguments=dict(call["args"]))
            )
            for call in said.get("calls", [])
        ]
        usage = LLMTokenUsage(prompt_tokens=10, completion_tokens=2, cost=0.001, calls=1)
        return LLMResponse(message=said.get("text"), oai_tool_calls=calls or None, cached=False, usage=usage)

    def chat(self, *_args: Any, **_options: Any) -> LLMResponse:
        return self.answer()

    async def achat(self, *_args: Any, **_options: Any) -> LLMResponse:
        return self.answer()


NO_TOOL: dict[str, Any] = {"done": lr.agent.chat_agent.NonToolAction.DONE, "forward-user": lr.agent.chat_agent.NonToolAction.FORWARD_USER}
RESPONDERS = {"LLM": lr.Entity.LLM, "Agent": lr.Entity.AGENT, "User": lr.Entity.USER}


def task_of(spec: dict[str, Any]) -> lr.Task:
    name, is_api = spec["name"], spec.get("format") == "api"
    no_tool = spec.get("noTool")
    agent = lr.ChatAgent(
        lr.ChatAgentConfig(
            name=name,
            llm=ScriptConfig(agent=name, answers=spec["answers"]),
            use_tools=not is_api,
            use_functions_api=is_api,
            use_tools_api=is_api,
            handle_llm_no_tool=NO_TOOL.get(no_tool, no_tool),
            system_message="You are a test.",
        )
    )
    agent.llm = Script(agent.config.llm)  # type: ignore[arg-type]
    agent.enable_message([TOOLS[tool] for tool in spec.get("tools", [])])
    agent.enable_message([TOOLS[tool] for tool in spec.get("useOnly", [])], use=True, handle=False)
    agent.enable_message([TOOLS[tool] for tool in spec.get("handleOnly", [])], use=False, handle=True)
    options = spec.get("options", {})
    config = TaskConfig(
        enable_loggers=False,
        enable_html_logging=False,
        addressing_prefix=options.get("addressingPrefix", ""),
        recognize_string_signals=options.get("recognizeStringSignals", True),
        done_if_tool=options.get("doneIfTool", False),
        done_sequences=options.get("doneSequences"),
    )
    task = lr.Task(
        agent,
        name=name,
        interactive=options.get("interactive", False),
        single_round=options.get("singleRound", False),
        restart=options.get("restart", True),
        allow_null_result=options.get("allowNullResult", False),
        max_stalled_steps=options.get("maxStalledSteps", 5),
        done_if_response=[RESPONDERS[one] for one in options.get("doneIfResponse", [])],
        done_if_no_response=[RESPONDERS[one] for one in options.get("doneIfNoResponse", [])],
        config=config,
    )
    for sub in spec.get("subTasks", []):
        one = task_of(sub)
        # As a sub-task a task has the config of the relation, not its own, for what is asked of it there.
        task.add_sub_task(one)
    return task


def build(name: str) -> lr.Task:
    """For the worker."""
    spec = SCENARIOS[name]["task"]
    return task_of({**spec, "options": {**spec.get("options", {}), "restart": False}})
