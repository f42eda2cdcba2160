"""What Schemathesis cannot know from the document alone: names that exist, and streams that would not end."""

import re
import zlib

import schemathesis

AGENTS = ["counter", "fan-out", "two-question", "panel"]
THREADS = ["thread-1", "thread-2", "thread-3", "thread-4"]
RUNS = ["run-1", "run-2", "run-3"]
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")


def known(value, names):
    """Mostly a name that exists, so that requests get past the first check; values that are wrong on purpose stay wrong."""
    if not isinstance(value, str) or not ID.fullmatch(value):
        return value
    pick = zlib.crc32(value.encode())
    return value if pick % 5 == 0 else names[pick % len(names)]


def named(values, **names):
    if not isinstance(values, dict):
        return values
    return {key: known(value, names[key]) if key in names else value for key, value in values.items()}


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return named(path_parameters, agent=AGENTS, thread=THREADS, run=RUNS)


@schemathesis.hook
def map_body(context, body):
    return named(
        body, agent=AGENTS, thread_id=THREADS, thread=THREADS, run_id=RUNS, threadId=THREADS, runId=RUNS
    )


@schemathesis.hook
def before_call(context, case, kwargs):
    # Following a log has no end of its own.
    if case.operation.path.endswith("/events") and (case.query or {}).get("follow", "true") == "true":
        case.query = {**(case.query or {}), "follow": "false"}


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else repr(value).encode()
