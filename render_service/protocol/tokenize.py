"""Bodies of `POST /tokenize` (a text or a chat) and `/detokenize`, as vLLM 0.33.0's.

Source: `entrypoints/serve/tokenize/protocol.py`.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from ..errors import SCHEMA_ERROR, RequestError, schema_error
from . import checks
from .decode import convert, decode_object
from .fields import INT64_MAX, ToolParam
from .message_shape import read_messages


class TokenizeTextRequest(Struct, kw_only=True):
    prompt: str
    model: str | None = None
    add_special_tokens: bool = True
    return_token_strs: bool | None = False
    # Looked at in a text too, and refused.
    media_io_kwargs: Any = None
    mm_processor_kwargs: Any = None


class TokenizeChatRequest(Struct, kw_only=True):
    messages: list[dict[str, Any]]
    model: str | None = None
    add_generation_prompt: bool = True
    return_token_strs: bool | None = False
    continue_final_message: bool = False
    add_special_tokens: bool = False
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    media_io_kwargs: dict[str, dict[str, Any]] | None = None
    mm_processor_kwargs: dict[str, Any] | None = None
    tools: list[ToolParam] | None = None


class DetokenizeRequest(Struct, kw_only=True):
    tokens: list[Annotated[int, Meta(ge=0, le=INT64_MAX)]]
    model: str | None = None


def decode_tokenize_request(raw: bytes) -> TokenizeTextRequest | TokenizeChatRequest:
    """A chat where the body has `messages` that can be read, else a text; RequestError as vLLM
    refuses it.
    """
    body = decode_object(raw)
    if "messages" not in body:
        checks.generation_prompt(body)
        return convert(body, TokenizeTextRequest)
    try:
        return _chat(body)
    except RequestError as error:
        if isinstance(body.get("prompt"), str):
            return convert(body, TokenizeTextRequest)
        if error.type == SCHEMA_ERROR:
            # vLLM names the first field of the text form, which fits neither.
            error.param = "body.model" if error.param == "body.model" else "body.prompt"
        raise


def _chat(body: dict[str, Any]) -> TokenizeChatRequest:
    checks.generation_prompt(body)
    if not isinstance(body["messages"], list):
        raise schema_error("`messages` must be an array of messages.", "body.messages")
    # As in a chat request, so that both give the same prompt; vLLM leaves it out here.
    read_messages(body["messages"])
    return convert(body, TokenizeChatRequest)


def decode_detokenize_request(raw: bytes) -> DetokenizeRequest:
    return convert(decode_object(raw), DetokenizeRequest)
