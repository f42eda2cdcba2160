"""Progress of a tool handler, for the app to call."""

from __future__ import annotations

import copy
from typing import Any, Optional

from .run import current_call, current_run


def update(
    state: Optional[dict[str, Any]] = None,
    text: Optional[str] = None,
    done: Optional[float] = None,
    total: Optional[float] = None,
) -> None:
    """Shows what the current tool handler is doing. Outside a handler it does nothing."""
    run = current_run.get()
    if run is None or current_call.get() == "":
        return
    event: dict[str, Any] = {"ev": "tool_update", "id": current_call.get()}
    if state is not None:
        event["state"] = copy.deepcopy(state)
    if text is not None:
        event["text"] = text
    if done is not None:
        event["progress"] = {"done": done} if total is None else {"done": done, "total": total}
    run.emit(event)
