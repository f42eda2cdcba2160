"""Runs every scenario in real Langroid, in this process, and prints what came of it as JSON: the content of real.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
from clewline_worker.langroid_compat import patch_tiktoken, patch_typing  # noqa: E402

patch_typing()
patch_tiktoken()

import langroid as lr  # noqa: E402
from langroid.utils.configuration import settings  # noqa: E402

settings.quiet = True
settings.cache = False

import scenario_tasks  # noqa: E402


def tool(one: lr.ToolMessage) -> dict[str, Any]:
    fields = json.loads(one.model_dump_json(exclude={"purpose", "id"}))
    name = fields.pop("request", "")
    return {"name": name or "final_result_tool", "args": {key: value for key, value in fields.items() if key != "tools"}}


def message(one: Any) -> dict[str, Any]:
    calls = [{"id": call.id, "name": call.function.name, "args": arguments(call)} for call in one.tool_calls or []]
    return {
        "role": one.role.value,
        "content": one.content,
        **({"calls": calls} if calls else {}),
        **({"answers": one.tool_call_id} if one.tool_call_id else {}),
    }


def arguments(call: Any) -> dict[str, Any]:
    # Langroid writes the request into the arguments as it reads them.
    return {key: value for key, value in (call.function.arguments or {}).items() if key != "request"}


def tree(task: lr.Task) -> list[lr.Task]:
    return [task, *(inner for sub in task.sub_tasks for inner in tree(sub))]


def run(scenario: dict[str, Any]) -> dict[str, Any]:
    scenario_tasks.asked.clear()
    task = scenario_tasks.task_of(scenario["task"])
    people = iter(scenario.get("user", []))
    questions: list[str] = []

    def ask(of: lr.Task):
        def answer(prompt: str = "", **_options: Any) -> str:
            questions.append(of.name)
            return next(people, "q")

        return answer

    for one in tree(task):
        one.agent.callbacks.get_user_response = ask(one)
    error, results = None, []
    for said in [scenario["input"], *scenario.get("then", [])]:
        try:
            result = task.run(said, turns=scenario.get("turns", -1))
        except Exception as failure:  # noqa: BLE001
            error = "loop" if type(failure).__name__ == "InfiniteLoopException" else str(failure)
            results.append(None)
            break
        results.append(
            None
            if result is None
            else {"content": result.content, "tools": [tool(one) for one in result.tool_messages]}
        )
    return {
        "results": results,
        "error": error,
        "asked": list(scenario_tasks.asked),
        "questions": questions,
        "histories": {
            one.name: [message(m) for m in one.agent.message_history[1:]] for one in tree(task)
        },
    }


if __name__ == "__main__":
    import logging

    logging.disable(logging.CRITICAL)
    said = {name: run(one) for name, one in scenario_tasks.SCENARIOS.items()}
    Path(sys.argv[1]).write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n")
