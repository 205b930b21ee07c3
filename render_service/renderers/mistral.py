"""Mistral's models: chats as token IDs, by mistral-common (extra `mistral`).

Source of the rules: vLLM 0.33.0's `tokenizers/mistral.py` and transformers'
`tokenization_mistral_common.py`, between which and the library a request goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from ..messages import Message, conversation
from ..protocol.fields import invalid
from ..protocol.json_bounds import no_collection
from ..protocol.json_texts import check_texts
from .chat import Chat

if TYPE_CHECKING:
    from ..protocol.chat import ChatRequest
    from ..tokenizer_mistral import MistralTokenizer

ID_LENGTH = 9
"""Of tool calls: the end of a longer one counts."""
KNOWS_EFFORT = 15
"""The first version of the tokenizer that is told the reasoning effort."""


class MistralRenderer:
    def __init__(self, tokenizer: MistralTokenizer) -> None:
        import mistral_common
        from mistral_common.protocol.instruct.request import ChatCompletionRequest

        self._library = tokenizer.library
        self._request = ChatCompletionRequest.from_openai
        self._version = tokenizer.version
        self.facts: Mapping[str, Any] = {
            "renderer": "mistral",
            "mistral-common": mistral_common.__version__,
        }

    def render(self, chat: Chat) -> list[int]:
        seen = conversation(chat.messages, content_format="string")
        proceed = bool(chat.kwargs.get("continue_final_message", False))
        _check_last(chat, proceed)
        # The library reads them as JSON, where they are some.
        read = check_texts([*_results(chat.messages)], "The results of tools", "messages")
        effort = chat.kwargs.get("reasoning_effort") if self._version >= KNOWS_EFFORT else None
        try:
            request: Any = self._request(
                messages=list(map(_adapted, chat.messages, seen)),
                tools=chat.kwargs.get("tools", chat.tools),
                continue_final_message=proceed,
                reasoning_effort=effort,
            )
            with no_collection(read):
                return list(self._library.encode_chat_completion(request).tokens)
        # The library refuses a chat by errors of many kinds.
        except Exception as error:
            raise RequestError(str(error)) from error


def check_mistral_request(request: ChatRequest) -> None:
    """Raises RequestError (400)."""
    if request.chat_template is not None or request.chat_template_kwargs is not None:
        raise invalid("chat_template is not supported for Mistral tokenizers.", "chat_template")


def _check_last(chat: Chat, proceed: bool) -> None:
    if not chat.messages:
        raise RequestError("list index out of range")
    generate = bool(chat.kwargs.get("add_generation_prompt", False))
    by_assistant = chat.messages[-1]["role"] == "assistant"
    if generate and proceed:
        raise RequestError(
            "Cannot set both `add_generation_prompt` and `continue_final_message` to True."
        )
    if generate and by_assistant:
        raise RequestError(
            "Cannot set `add_generation_prompt` to True when the last message is from the "
            "assistant. Consider using `continue_final_message` instead."
        )
    if proceed and not by_assistant:
        raise RequestError(
            "Cannot set `continue_final_message` to True when the last message is not from the "
            "assistant."
        )


def _results(messages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] == "tool":
            content = message.get("content")
            parts = content if isinstance(content, list) else [content]
            texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
            yield "".join(text for text in texts if isinstance(text, str))


def _adapted(message: Mapping[str, Any], seen: Message) -> dict[str, Any]:
    """The client's message as the library wants it. seen: the same, for the calls' arguments."""
    found = dict(message)
    if message["role"] == "assistant":
        found["tool_calls"] = [
            {**call, "id": call["id"][-ID_LENGTH:]} for call in seen.get("tool_calls", ())
        ]
    elif "tool_call_id" in message and message["role"] == "tool":
        found["tool_call_id"] = (message["tool_call_id"] or "")[-ID_LENGTH:]
    content = message.get("content")
    if isinstance(content, list):
        found["content"] = [
            part for part in content if not isinstance(part, dict) or part.get("type")
        ]
    return found
