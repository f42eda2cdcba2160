"""Runs real Langroid agents for Clewline: one JSON object per line on stdin and stdout.

    python path/to/clewline_worker --app my_agents:build

`build(thread_id)` (or `build()`) returns a `ChatAgent` or a `Task`; it is called once per thread, so nothing is
shared. The worker is stateless between runs: each run brings its whole history, so that this process may die at any
moment and nothing is lost. The protocol is described in the package's README and validated on both sides.

A handler may show progress while it works:

    from clewline_worker import update
    update(state={"steps": steps}, text="two of five", done=2, total=5)

Importing this package has no side effects and does not need Langroid, so an app that uses `update` can be tested alone.
"""

from .progress import update

__all__ = ["update"]
