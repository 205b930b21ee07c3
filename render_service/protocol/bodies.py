"""Request bodies with what their structs leave unread, raw JSON and plain dicts, spelled out.

For the OpenAPI document only: nothing is decoded into these. Other fields are inherited.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from .chat import ChatRequest
from .completion import CompletionRequest
from .derender import MAX_CHUNKS, DerenderChatRequest, DerenderCompletionRequest
from .generate import GenerateChunk, GenerateResponse, TokenCount, TokenId
from .responses import Body as ResponsesBody
from .tokenize import TokenizeChatRequest


class TextPart(Struct):
    text: str | None
    type: Literal["text", "input_text", "output_text"] = "text"


class FunctionCall(Struct):
    """arguments: JSON as text."""

    name: str
    arguments: str


class ToolCall(Struct):
    id: str
    function: FunctionCall
    type: Literal["function"] = "function"


class ChatMessage(Struct):
    """`reasoning_content` is the older name of `reasoning`. Other fields reach the template too."""

    role: str
    content: str | list[TextPart | str] | None = None
    name: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class Chat(ChatRequest, kw_only=True):
    """A chat request as `POST /v1/chat/completions` takes it."""

    messages: list[ChatMessage]


class TokenizeChat(TokenizeChatRequest, kw_only=True):
    messages: list[ChatMessage]


class CompletionBody(CompletionRequest, kw_only=True):
    """A completion request as `POST /v1/completions` takes it. prompt: of token IDs or texts."""

    prompt: str | list[str | TokenId | list[TokenId]] | None = None


class Responses(ResponsesBody, kw_only=True):
    """A request as `POST /v1/responses` takes it. input: a text, or items of a conversation."""

    input: str | list[dict[str, Any]]
    tools: list[dict[str, Any]] = field(default_factory=list)
    tool_choice: str | dict[str, Any] = "auto"


class Output(GenerateResponse, kw_only=True):
    """The engine's whole answer."""

    prompt_logprobs: list[Any] | None = None
    metrics: Any = None
    kv_transfer_params: Any = None


class OutputChunk(GenerateChunk, kw_only=True):
    """One event of the engine's stream."""

    prompt_token_ids: list[TokenId] | None = None
    metrics: Any = None


OutputChunks = Annotated[list[OutputChunk], Meta(min_length=1, max_length=MAX_CHUNKS)]


class DerenderChat(DerenderChatRequest, kw_only=True):
    """`generate_response`, or with `stream: true` `generate_chunk` and the last `stream_state`."""

    generate_response: Output | UnsetType = UNSET
    generate_chunk: OutputChunk | OutputChunks | UnsetType = UNSET
    stream_state: Any = None
    prompt_token_ids: list[TokenId] | None = None
    chat_request: Chat | None = None


class DerenderCompletion(DerenderCompletionRequest, kw_only=True):
    """As for chats; not streamed, the prompts' fields are lists with an entry for each response."""

    generate_responses: list[Output] | UnsetType = UNSET
    generate_chunk: OutputChunk | OutputChunks | UnsetType = UNSET
    stream_state: Any = None
    prompt_tokens: TokenCount | list[TokenCount] | None = None
    prompt_token_ids: list[TokenId | list[TokenId] | None] | None = None
    completion_request: CompletionBody | None = None
