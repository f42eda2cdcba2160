"""What a model call sends, for the record."""

from __future__ import annotations

from typing import Any, Optional

from langroid.language_models.openai_gpt import OpenAIGPT

from .wire import MAX_LINE, to_json

# How the answer travels, and what the event says already.
_TRANSPORT = ("model", "stream", "stream_options")


def model_request(
    agent: Any, messages: Any, output_len: Optional[int] = None, tool_choice: Any = "auto"
) -> Optional[dict[str, Any]]:
    """The body of the request, made by Langroid itself; only the messages for models that send none.

    Takes the arguments of `ChatAgent.llm_response_messages`. The record must not break a run: None for what cannot be made,
    and for what does not fit into a line.
    """
    try:
        llm = agent.llm
        if not isinstance(llm, OpenAIGPT):
            return _fitting({"messages": [message.api_dict(llm.config.chat_model) for message in messages]})
        functions, function_call, tools, force_tool, output_format = agent._function_args()
        body = llm._prep_chat_completion(
            list(messages),
            output_len or agent.config.llm.model_max_output_tokens,
            tools,
            force_tool or tool_choice,
            functions,
            function_call,
            output_format,
        )
        extra = body.pop("extra_body", None) or {}
        return _fitting({key: value for key, value in {**body, **extra}.items() if key not in _TRANSPORT})
    except Exception:
        return None


def _fitting(request: dict[str, Any]) -> Optional[dict[str, Any]]:
    return request if len(to_json(request)) < MAX_LINE // 2 else None
