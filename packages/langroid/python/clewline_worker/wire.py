"""The protocol's lines: JSON objects on the real stdin and stdout, which nothing else may touch."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from typing import Any, BinaryIO, Optional

PROTOCOL = 2
MAX_LINE = 8 * 1024 * 1024
GRACE_SECONDS = 2

# None is the end of the input.
Lines = asyncio.Queue[Optional[bytes]]

_write_lock = threading.Lock()
_requests: Optional[BinaryIO] = None
_events: Optional[BinaryIO] = None


def take_stdio() -> None:
    """Redirects file descriptors 0 and 1, child processes included: handlers read nothing, and print to stderr.

    Call it before Langroid is imported, which prints colours even with `settings.quiet`.
    """
    global _requests, _events
    _requests, _events = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = sys.stderr


def to_json(value: Any) -> str:
    """Compact JSON, as JavaScript writes it: NaN and Infinity, which JSON does not have, become null."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    if "NaN" in text or "Infinity" in text:
        finite = json.loads(text, parse_constant=lambda _number: None)
        text = json.dumps(finite, ensure_ascii=False, separators=(",", ":"))
    return text


def send(message: dict[str, Any]) -> None:
    """Thread-safe. Blocks while the pipe is full: that is the protocol's backpressure."""
    assert _events is not None, "take_stdio() comes first"
    line = to_json(message).encode("utf-8", "replace") + b"\n"
    if len(line) > MAX_LINE:
        raise ValueError(f"a line of {len(line)} bytes is more than the protocol allows")
    with _write_lock:
        _events.write(line)
        _events.flush()


def start_reading() -> Lines:
    """Requests as they arrive, read by a thread of their own; None when the parent has closed the pipe."""
    lines: Lines = asyncio.Queue()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(loop, lines), daemon=True).start()
    return lines


def _read(loop: asyncio.AbstractEventLoop, lines: Lines) -> None:
    assert _requests is not None, "take_stdio() comes first"
    for line in _requests:
        if line.strip():
            loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, None)
    # No orphans: the parent is gone, so a handler that blocks must keep neither this process nor its children alive.
    time.sleep(GRACE_SECONDS)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)
