"""Items of a Responses request's `input`: those that a chat can hold, typed.

Rule: a message of the client stays a dict, as chat messages do; what the model wrote and what its
tools answered become structs. Source: the openai package's `ResponseInputItemParam` and
`ResponseOutputItem`, and `input_item_parsing` in vLLM 0.33.0's `openai/responses/protocol.py`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ..errors import RequestError, schema_error
from .decode import convert

T = TypeVar("T")

Status = Literal["in_progress", "completed", "incomplete"]
Phase = Literal["commentary", "final_answer"]
OPEN = ("in_progress", "incomplete")

_UNSUPPORTED = """
additional_tools apply_patch_call apply_patch_call_output code_interpreter_call compaction
compaction_trigger computer_call computer_call_output configuration_update file_search_call
image_generation_call item_reference local_shell_call local_shell_call_output
mcp_approval_request mcp_approval_response mcp_call mcp_list_tools program program_output
shell_call shell_call_output tool_search_call tool_search_output web_search_call
"""
UNSUPPORTED = frozenset(_UNSUPPORTED.split())
"""What no chat has: known, whatever else is in it."""


class CacheBreakpoint(Struct):
    mode: Literal["explicit"]
    ttl: Literal["30m", "12h"] | UnsetType = UNSET


class InputText(Struct, tag="input_text"):
    text: str
    prompt_cache_breakpoint: CacheBreakpoint | UnsetType = UNSET


class InputImage(Struct, tag="input_image"):
    detail: Literal["low", "high", "auto", "original"] = "auto"
    file_id: str | None = None
    image_url: str | None = None


class InputFile(Struct, tag="input_file"):
    file_id: str | None = None


InputPart = InputText | InputImage | InputFile


class InputMessage(Struct):
    """phase: looked at beside text, and where the model speaks."""

    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[InputPart]
    type: Literal["message"] = "message"
    phase: Any = None

    def __post_init__(self) -> None:
        matters = isinstance(self.content, str) or self.role == "assistant"
        if matters and self.phase not in (None, *get_args(Phase)):
            raise ValueError("`phase` is not known")


class OutputText(Struct, tag="output_text"):
    text: str
    annotations: list[dict[str, Any]] = []
    logprobs: list[dict[str, Any]] | None = None


class Refusal(Struct, tag="refusal"):
    refusal: str


class OutputMessage(Struct):
    content: list[OutputText | Refusal]
    id: str = ""
    status: Status = "completed"
    phase: Phase | None = None


class DirectCaller(Struct, tag="direct"):
    pass


class ProgramCaller(Struct, tag="program"):
    caller_id: str


Caller = DirectCaller | ProgramCaller | None


class FunctionCall(Struct, rename={"in_background": "async"}):
    name: str
    arguments: str
    call_id: str
    id: str | None = None
    namespace: str | None = None
    status: Status | None = None
    caller: Caller = None
    in_background: bool | None = None


class CustomCall(Struct):
    """input: free text."""

    name: str
    input: str
    call_id: str
    id: str | None = None
    namespace: str | None = None
    caller: Caller = None


class CallOutput(Struct):
    output: str | list[InputPart]
    call_id: str | None = None
    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    status: Status | None = None
    caller: Caller = None


class CustomCallOutput(CallOutput):
    def __post_init__(self) -> None:
        if self.call_id is None:
            raise ValueError("`call_id` is required")


class SummaryText(Struct):
    text: str
    type: Literal["summary_text"]


class ReasoningText(Struct):
    text: str
    type: Literal["reasoning_text"]


Iterated = list[Any] | dict[str, Any] | str
"""What vLLM takes for a list until it reads it."""


class ReasoningItem(Struct):
    summary: Iterated
    content: Iterated | None = None
    encrypted_content: str | None = None
    id: str = ""
    status: Status | None = None


class Reasoning(NamedTuple):
    """content: the thoughts. summary: what is known of them where there are none."""

    content: list[str]
    summary: list[str]
    encrypted: bool
    status: Status | None


class Other(NamedTuple):
    """What a chat does not have. type: None for a reference without one."""

    type: str | None


Item = dict[str, Any] | OutputMessage | FunctionCall | CustomCall | CallOutput | Reasoning | Other
"""A dict is a message."""

_STRUCTS: dict[str, type[Any]] = {
    "function_call": FunctionCall,
    "custom_tool_call": CustomCall,
    "function_call_output": CallOutput,
    "custom_tool_call_output": CustomCallOutput,
    "reasoning": ReasoningItem,
}


def read_input(given: Any) -> str | list[Item]:
    """`input`, checked. RequestError with vLLM's `param`, which never says which item."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        raise schema_error("`input` must be a string or an array of items.", "body.input")
    return [_read(item, f"`input.{index}`") for index, item in enumerate(given)]


def _read(item: Any, name: str) -> Item:
    if not isinstance(item, dict):
        raise schema_error(f"{name} must be an object.", "body.input")
    kind = item.get("type")
    if kind is None and "role" not in item and isinstance(item.get("id"), str):
        return Other(None)
    if kind in (None, "message"):
        return _message(item, name)
    if not isinstance(kind, str) or not (kind in _STRUCTS or kind in UNSUPPORTED):
        raise schema_error(f"{name} has an unknown `type`.", "body.input")
    if kind in UNSUPPORTED:
        return Other(kind)
    found = _typed(item, _STRUCTS[kind], name)
    if isinstance(found, ReasoningItem):
        return _thoughts(found)
    read: Item = found
    return read


def _message(item: dict[str, Any], name: str) -> Item:
    wrote = item.get("type") == "message" and item.get("role") == "assistant"
    if wrote and isinstance(item.get("content"), list):
        try:
            return msgspec.convert(item, OutputMessage, strict=False)
        except msgspec.ValidationError:
            pass  # A client may also write the model's message in its own kind of parts.
    _typed(item, InputMessage, name)
    return item


def _typed(item: dict[str, Any], to: type[T], name: str) -> T:
    try:
        return convert(item, to)
    except RequestError as error:
        raise schema_error(f"{name}: {error.message}", "body.input") from None


def _thoughts(item: ReasoningItem) -> Reasoning | Other:
    """vLLM takes an item with wrong parts for one of another kind."""
    try:
        summary = msgspec.convert(item.summary, list[SummaryText])
        content = msgspec.convert(item.content, list[ReasoningText] | None) or []
    except msgspec.ValidationError:
        return Other("reasoning")
    encrypted = bool(item.encrypted_content)
    return Reasoning([p.text for p in content], [p.text for p in summary], encrypted, item.status)
