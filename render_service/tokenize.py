"""`POST /tokenize` and `/detokenize`, as vLLM 0.33.0's `entrypoints/serve/tokenize`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .answer import Answer
from .chat_prompt import check_template_trust, merge_kwargs, render_chat
from .errors import RequestError
from .generate_request import encode
from .protocol.checks import generation_prompt, media_kwargs
from .protocol.tokenize import (
    TokenizeChatRequest,
    decode_detokenize_request,
    decode_tokenize_request,
)
from .render import check_model
from .renderers.chat import Chat
from .renderers.harmony_chat import HarmonyRenderer

if TYPE_CHECKING:
    from .model import Model

MAX_TOKEN_ID = 2**32 - 1


def tokenize(model: Model, body: bytes, request_id: str | None) -> Answer:
    """Token IDs of a text or a chat, of any length."""
    request = decode_tokenize_request(body)
    check_model(model, request.model)
    if isinstance(request, TokenizeChatRequest):
        prompt = _chat(model, request)
    else:
        media_kwargs(request.mm_processor_kwargs, request.media_io_kwargs)
        prompt = request.prompt
    ids = (
        model.tokenizer.encode(prompt, add_special_tokens=request.add_special_tokens)
        if isinstance(prompt, str)
        else prompt
    )
    strings = None
    if request.return_token_strs:
        strings = [model.tokenizer.piece(token) for token in ids]
    answer = {
        "count": len(ids),
        "max_model_len": model.max_model_len,
        "tokens": ids,
        "token_strs": strings,
    }
    return Answer(encode(answer), tokens=len(ids))


def detokenize(model: Model, body: bytes, request_id: str | None) -> Answer:
    """The text of token IDs, special tokens included; IDs that no token has give no text."""
    request = decode_detokenize_request(body)
    check_model(model, request.model)
    if request.tokens and max(request.tokens) > MAX_TOKEN_ID:
        raise RequestError(f"`tokens` must hold token IDs: {max(request.tokens)} is too large.")
    text = model.tokenizer.decode(request.tokens, skip_special_tokens=False)
    return Answer(encode({"prompt": text}), tokens=len(request.tokens))


def _chat(model: Model, request: TokenizeChatRequest) -> str | list[int]:
    own = {
        "add_generation_prompt": request.add_generation_prompt,
        "continue_final_message": request.continue_final_message,
    }
    if isinstance(model.renderer, HarmonyRenderer):
        # vLLM makes a chat request of it, defaults written out, and so refuses both here.
        generation_prompt(own)
    else:
        check_template_trust(model, request.chat_template, request.chat_template_kwargs)
        media_kwargs(request.mm_processor_kwargs, request.media_io_kwargs)
    chat = Chat(
        messages=request.messages,
        tools=None if request.tools is None else msgspec.to_builtins(request.tools),
        kwargs=merge_kwargs(model, request.chat_template_kwargs or {}, own),
        chat_template=request.chat_template,
    )
    return render_chat(model, chat)
