"""Durable execution: what a run has done, so that one that goes on does nothing twice.

A run that goes on begins with its first input again. What it did before (an answer of a model, a handler's result, a
human's answer) is answered from the journal instead of being done; what is not there happens now. Entries are found by
what was asked, not by their order, so that calls which run side by side may come in any order.
"""

from __future__ import annotations

import hashlib
import threading
from collections import deque
from typing import Any, Callable

from .wire import to_json


def key_of(*parts: Any) -> str:
    """Content hash: the same question has the same key in every attempt."""
    return hashlib.sha256(to_json(parts).encode("utf-8", "replace")).hexdigest()[:24]


class Journal:
    def __init__(self, entries: list[dict[str, Any]], emit: Callable[[dict[str, Any]], None]) -> None:
        self._emit = emit
        self._lock = threading.Lock()
        self._left: dict[str, deque[Any]] = {}
        self._is_replaying = len(entries) > 0
        for entry in entries:
            if "key" in entry:
                self._left.setdefault(entry["key"], deque()).append(entry["value"])

    def begin(self) -> None:
        """A run that dies in its first model call can go on, too."""
        if not self._is_replaying:
            self._emit({"ev": "journal", "entry": {"begin": True}})

    def has(self, key: str) -> bool:
        return key in self._left

    def take(self, key: str) -> list[Any]:
        """The oldest value under the key, alone in a list; nothing when this was not done before."""
        with self._lock:
            values = self._left.get(key)
            if values is None:
                return []
            value = values.popleft()
            if not values:
                del self._left[key]
            return [value]

    def go_live(self) -> None:
        """What follows was not done before. Idempotent."""
        with self._lock:
            was_replaying, self._is_replaying = self._is_replaying, False
        if was_replaying:
            self._emit({"ev": "live"})

    def note(self, key: str, value: Any) -> None:
        self.go_live()
        self._emit({"ev": "journal", "entry": {"key": key, "value": value}})

    def end(self) -> None:
        """What was not asked for again was done by a run that went another way: that one cannot be repeated exactly."""
        self.go_live()
        if self._left:
            message = (
                "The run did not go on exactly where it was: what its agents were asked differs from attempt to attempt "
                "(a time or a random number in a prompt, for one), so that some of it was done again."
            )
            self._emit({"ev": "warning", "code": "restarted", "message": message})
