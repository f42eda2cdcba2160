"""Words by which agents of a task signal to each other, and which are not for people: DONE, DO-NOT-KNOW and the like."""

from __future__ import annotations

import re

from langroid.utils.constants import DONE, NO_ANSWER, PASS, SEND_TO

_SIGNALS = re.compile(rf"{DONE}|{NO_ANSWER}|{SEND_TO}\s*\w*|{PASS}(?::\w+)?")
_WORDS = (DONE, NO_ANSWER, SEND_TO, PASS)
# A signal with a name after it, which may go on.
_OPEN = re.compile(rf"(?:{SEND_TO}\s*|{PASS}:)\w*")


class SignalFilter:
    """Takes signals out of text that comes in pieces: what may become one is held back until it is known."""

    def __init__(self) -> None:
        self._held = ""
        self._has_spoken = False

    def push(self, piece: str) -> str:
        self._held += piece
        start = next((i for i in range(len(self._held)) if _may_go_on(self._held[i:])), len(self._held))
        ready, self._held = self._held[:start], self._held[start:]
        return self._said(ready)

    def end(self) -> str:
        ready, self._held = self._held, ""
        return self._said(ready)

    def _said(self, text: str) -> str:
        plain = _SIGNALS.sub("", text)
        if not self._has_spoken:
            plain = plain.lstrip()
        self._has_spoken = self._has_spoken or plain != ""
        return plain


def without_signals(text: str) -> str:
    return _SIGNALS.sub("", text).strip()


def _may_go_on(rest: str) -> bool:
    return any(word.startswith(rest) for word in _WORDS) or _OPEN.fullmatch(rest) is not None
