"""The program: takes stdin and stdout for the protocol, checks what it stands on, then serves.

This file alone must be readable by Python 2.7 as well, so that an interpreter that is too old can be named as such.
"""

import json
import os
import sys


def refuse_old_python():
    if sys.version_info >= (3, 10):
        return
    version = sys.version.split()[0]
    message = "Python %s is too old: Langroid needs 3.10 to 3.13. Set `python` to one of those." % version
    sys.stdout.write(json.dumps({"ev": "fatal", "type": "RuntimeError", "message": message}) + "\n")
    sys.stdout.flush()
    sys.exit(3)


def main():
    refuse_old_python()
    if not __package__:
        # Run as a folder, not with -m: Python has put the folder itself on the path, where its modules shadow those of others.
        sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    import argparse
    import asyncio
    import traceback

    from clewline_worker import wire
    from clewline_worker.langroid_compat import check_requirements, patch_tiktoken, patch_typing

    parser = argparse.ArgumentParser(prog="clewline_worker", description="Runs Langroid agents for Clewline.")
    parser.add_argument("--app", required=True, help="module:function that builds a ChatAgent or a Task")
    options = parser.parse_args()
    wire.take_stdio()
    try:
        check_requirements()
        patch_typing()
        patch_tiktoken()
        # Imports Langroid, so not before the lines above.
        from clewline_worker.worker import serve

        asyncio.run(serve(options.app))
    except Exception as error:
        traceback.print_exc()
        wire.send({"ev": "fatal", "type": type(error).__name__, "message": str(error)})
        sys.exit(3)


if __name__ == "__main__":
    main()
