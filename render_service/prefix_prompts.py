"""The prompts of a conversation, as /render makes them, and their text.

Everything is in token IDs first: text is what they decode to, special tokens included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .chat_prompt import chat_prompt, template_kwargs
from .common_prefix import common_prefix
from .errors import RequestError

if TYPE_CHECKING:
    from .model import Model
    from .protocol.chat import ChatRequest

Message = dict[str, Any]

MARK = "\ue000"  # of the private use area: in no text, and no white space that is trimmed


class Prompt(NamedTuple):
    ids: list[int]
    text: str


class Prompts:
    """stops: the tokens that end an output, ID -> text. has_tools: whether templates get any."""

    def __init__(self, model: Model, request: ChatRequest) -> None:
        self.model = model
        self.messages = request.messages
        self.has_tools = request.tools is not None
        ids = {*model.generation.eos_token_ids, *(request.stop_token_ids or ())}
        self.stops: Mapping[int, str] = {
            index: text for text, index in model.tokenizer.added_tokens.items() if index in ids
        }
        self._tools = None if request.tools is None else msgspec.to_builtins(request.tools)
        # What would not render the messages, but go on with the last one or with forwarded IDs.
        self._request = msgspec.structs.replace(
            request, continue_final_message=False, kv_transfer_params=None
        )

    def render(
        self, messages: list[Message], *, opening: bool = True, tools: bool = True
    ) -> Prompt:
        """opening: with the generation prompt, which opens the answer. Raises RequestError."""
        request = msgspec.structs.replace(
            self._request, messages=messages, add_generation_prompt=opening
        )
        kwargs = template_kwargs(self.model, request)
        ids = chat_prompt(self.model, request, self._tools if tools else None, kwargs).ids
        return Prompt(ids, self.text(ids))

    def text(self, ids: Sequence[int]) -> str:
        return self.model.tokenizer.decode(ids, skip_special_tokens=False)

    def encode(self, text: str) -> list[int]:
        return self.model.tokenizer.encode(text, add_special_tokens=False)

    def opening(self, messages: list[Message], prompt: Prompt) -> int:
        """Where in the prompt's text the generation prompt begins."""
        try:
            return common_prefix(prompt.text, self.render(messages, opening=False).text)
        except RequestError:
            return len(prompt.text)

    def end(self, messages: list[Message], index: int, text: str) -> int | None:
        """Where in the text of their prompt a message ends, with the token that ends its turn.

        None where that cannot be seen: the message is not in the text, or the template refuses
        what is tried.
        """
        marked = [*messages]
        marked[index] = _marked(messages[index])
        try:
            at = common_prefix(text, self.render(marked).text)
        except RequestError:
            return None
        if at == len(text):
            return None
        called = bool(calls_of(messages[index]))
        ends = []
        for stop in self.stops.values():
            found = text.find(stop, at)
            # Behind the arguments of a call come brackets and such, else white space at most.
            if found >= 0 and (called or not text[at:found].strip()):
                ends.append(found + len(stop))
        return min(ends, default=at)


def calls_of(message: Message) -> list[dict[str, Any]]:
    """Tool calls that templates get to see: of functions, in answers."""
    return (message.get("tool_calls") or []) if message["role"] == "assistant" else []


def _marked(message: Message) -> Message:
    """The message with something more at its end."""
    calls = calls_of(message)
    if calls:
        function = calls[-1]["function"]
        arguments = _one_more(function["arguments"])
        return {
            **message,
            "tool_calls": [
                *calls[:-1],
                {**calls[-1], "function": {**function, "arguments": arguments}},
            ],
        }
    content = message.get("content") or ""
    if isinstance(content, str):
        return {**message, "content": content + MARK}
    return {**message, "content": [*content, {"type": "text", "text": MARK}]}


def _one_more(arguments: str) -> str:
    """A JSON object with one more key; what is none becomes an empty one for templates."""
    inner = arguments.strip().removeprefix("{").removesuffix("}").strip()
    return f'{{{inner}{", " if inner else ""}"{MARK}": 0}}'
