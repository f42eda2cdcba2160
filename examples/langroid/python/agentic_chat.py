"""Plain chat. The tool `change_background` belongs to the page: the agent does not even know it."""

import langroid as lr
from example_model import agent


def build(thread: str) -> lr.ChatAgent:
    return agent("agentic_chat", "You are a helpful assistant. Use the tools you are given when the user asks for it.")
