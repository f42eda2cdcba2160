"""A tool call's start and result, each emitted once, whoever finds out first."""

from __future__ import annotations

from typing import Any, Optional

from .run import Run, ToolUse


def emit_result(run: Run, use: ToolUse, content: str, error: Optional[str]) -> None:
    """Of a call that no handler of the agent answered: a sub-task did, or the arguments were wrong."""
    if use.is_answered or use.place != "backend":
        return
    run.emit({"ev": "tool_start", "id": use.id})
    emit_end(run, use, content, error)


def emit_end(run: Run, use: ToolUse, content: str, error: Optional[str]) -> None:
    use.content, use.is_answered = content, True
    run.emit({"ev": "tool_result", "id": use.id, "content": content, "error": error})


def content_of(result: Any) -> str:
    if result is None:
        return ""
    return result if isinstance(result, str) else (getattr(result, "content", None) or "")
