"""Which responder of which agent is answering, and what its model calls were."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass
class ResponderFrame:
    agent: Any
    # An app's own `llm_response` may change the model's answer, or drop it: it is shown when the agent has answered.
    is_held: bool
    calls: list[tuple[Any, Any]] = field(default_factory=list)


current_frame: ContextVar[Optional[ResponderFrame]] = ContextVar("clewline_frame", default=None)
# Inside `llm_response_forget`: what the model says is no part of the conversation.
is_inner: ContextVar[bool] = ContextVar("clewline_is_inner", default=False)
