"""The model of every example: an OpenAI-compatible server that the environment names."""

import os

import langroid as lr
import langroid.language_models as lm


def agent(name: str, system_message: str) -> lr.ChatAgent:
    llm = lm.OpenAIGPTConfig(
        chat_model=os.environ["MODEL_NAME"],
        api_base=os.environ["MODEL_URL"],
        api_key=os.environ["MODEL_KEY"],
        stream=True,
    )
    return lr.ChatAgent(
        lr.ChatAgentConfig(
            name=name, llm=llm, system_message=system_message, use_tools=False, use_functions_api=True
        )
    )
