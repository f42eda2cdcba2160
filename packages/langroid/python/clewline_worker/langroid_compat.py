"""What Langroid needs of its surroundings, and workarounds where those fall short. Each names the version it was seen in."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
import typing
from typing import Any, Callable


OLDEST_LANGROID = (0, 65, 16)


def check_requirements() -> None:
    if not (3, 10) <= sys.version_info < (3, 14):
        raise RuntimeError(f"Langroid needs Python 3.10 to 3.13, and {sys.executable} is {sys.version.split()[0]}.")
    if importlib.util.find_spec("langroid") is None:
        raise ModuleNotFoundError(f"Langroid is not installed for {sys.executable}. Run: pip install langroid")
    version = importlib.metadata.version("langroid")
    if _release(version) < OLDEST_LANGROID:
        oldest = ".".join(map(str, OLDEST_LANGROID))
        raise RuntimeError(f"Langroid {version} is too old: the worker needs {oldest} or later. Run: pip install -U langroid")


def _release(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: 0.65.16rc1 is 0.65.16."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def patch_typing() -> None:
    """Langroid 0.65.16 supports Python 3.10, and yet imports `typing.Self`, which is there since 3.11."""
    if not hasattr(typing, "Self"):
        import typing_extensions

        setattr(typing, "Self", typing_extensions.Self)


def patch_tiktoken() -> None:
    """Offline fallback: tiktoken downloads its tables when an agent is built. A rough count is better than no agent."""
    import tiktoken

    tiktoken.encoding_for_model = _or_rough(tiktoken.encoding_for_model)
    tiktoken.get_encoding = _or_rough(tiktoken.get_encoding)


# After one failure it is not tried again: each attempt costs a connection timeout.
_is_offline = False


def _or_rough(load: Callable[..., Any]) -> Callable[..., Any]:
    def attempt(*args: Any, **kwargs: Any) -> Any:
        global _is_offline
        if not _is_offline:
            try:
                return load(*args, **kwargs)
            except KeyError:
                # An unknown model: Langroid handles this one.
                raise
            except Exception:
                _is_offline = True
        return _RoughEncoding()

    return attempt


class _RoughEncoding:
    """About four characters to a token."""

    name = "rough"

    def encode(self, text: str, **_options: Any) -> list[int]:
        return list(range(len(text) // 4 + 1))

    def decode(self, tokens: list[int], **_options: Any) -> str:
        return "".join(" " * 4 for _ in tokens)
