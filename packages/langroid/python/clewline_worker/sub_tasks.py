"""Sub-tasks: where they are, and when they begin and end."""

from __future__ import annotations

from typing import Any

from .handler_events import content_of
from .history import emit_history
from .run import Run, current_run
from .signals import without_signals


def sub_tasks_of(task: Any, path: str) -> dict[str, Any]:
    """All tasks below this one, by their place in the tree."""
    found: dict[str, Any] = {}
    for index, sub in enumerate(task.sub_tasks):
        place = f"{path}/{index}"
        found.update({place: sub, **sub_tasks_of(sub, place)})
    return found


def observe_sub_task(task: Any) -> None:
    run_blocking, run_async = task.run, task.run_async

    def observed(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return run_blocking(*args, **kwargs)
        _begin(run, task)
        result = run_blocking(*args, **kwargs)
        _end(run, task, result)
        return result

    async def observed_async(*args: Any, **kwargs: Any) -> Any:
        run = current_run.get()
        if run is None:
            return await run_async(*args, **kwargs)
        _begin(run, task)
        result = await run_async(*args, **kwargs)
        _end(run, task, result)
        return result

    task.run, task.run_async = observed, observed_async


def _begin(run: Run, task: Any) -> None:
    run.emit({"ev": "step", "phase": "start", "name": task.name})


def _end(run: Run, task: Any, result: Any) -> None:
    emit_history(run, task.agent)
    run.emit({"ev": "step", "phase": "end", "name": task.name, "result": without_signals(content_of(result))})
