"""Fields that requests share, with vLLM 0.33.0's names, defaults and checks.

Sources: `entrypoints/generate/base/protocol.py`, `entrypoints/openai/*/protocol.py`,
`sampling_params.py`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ..errors import RequestError

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

MAX_STOP_STRINGS = 4
"""vLLM's VLLM_MAX_STOP_STRINGS."""

Int64 = Annotated[int, Meta(ge=INT64_MIN, le=INT64_MAX)]
Count = Annotated[int, Meta(ge=0)]
StopStrings = str | Annotated[list[str], Meta(max_length=MAX_STOP_STRINGS)] | None
TruncatePrompt = Annotated[int, Meta(ge=-1, le=INT64_MAX)]
TruncationSide = Literal["left", "right"]
StreamInterval = Annotated[int, Meta(ge=1)]
MediaPayload = Literal["tensors", "none"]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
ExtraArgs = dict[str, str | int | float | list[str | int | float]]


def invalid(message: str, param: str | None = None, value: object = None) -> RequestError:
    """vLLM's VLLMValidationError: its text ends with the parameter and the value."""
    extras = [f"parameter={param}"] if param is not None else []
    if value is not None:
        extras.append(f"value={value}")
    return RequestError(f"{message} ({', '.join(extras)})" if extras else message, param=param)


class StreamOptions(Struct):
    include_usage: bool | None = False
    continuous_usage_stats: bool | None = False


class FunctionDefinition(Struct):
    """`strict` and `defer_loading` are left out where they are null, the other fields never."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | UnsetType | None = UNSET
    defer_loading: bool | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        self.strict = UNSET if self.strict is None else self.strict
        self.defer_loading = UNSET if self.defer_loading is None else self.defer_loading


class ToolParam(Struct, kw_only=True):
    """A tool that the model may call; templates and the engine see the fields in this order."""

    type: Literal["function"] = "function"
    function: FunctionDefinition
    defer_loading: bool | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        self.defer_loading = UNSET if self.defer_loading is None else self.defer_loading
        if self.function.defer_loading is UNSET:
            self.function.defer_loading = self.defer_loading


class NamedFunction(Struct):
    name: str


class NamedToolChoice(Struct):
    function: NamedFunction
    type: Literal["function"] = "function"


class JsonSchemaFormat(Struct):
    name: str
    description: str | None = None
    schema: dict[str, Any] | None = None
    strict: bool | None = None


class ResponseFormat(Struct):
    """`structural_tag` has either `format`, or the older `structures` and `triggers`."""

    type: Literal["text", "json_object", "json_schema", "structural_tag"]
    json_schema: JsonSchemaFormat | None = None
    format: Any = None
    structures: Any = None
    triggers: Any = None


class StructuredOutputs(Struct):
    """Exactly one of the first five and `structural_tag` is given."""

    json: str | dict[str, Any] | None = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: str | None = None
    structural_tag: str | None = None
    # The engine's own notes, which vLLM serializes too.
    backend: Any = field(default=None, name="_backend")
    backend_was_auto: Any = field(default=False, name="_backend_was_auto")

    def __post_init__(self) -> None:
        # Whatever a client sends for the engine's notes is not taken over.
        self.backend, self.backend_was_auto = None, False
        constraints = (
            self.json,
            self.regex,
            self.choice,
            self.grammar,
            self.json_object,
            self.structural_tag,
        )
        given = sum(constraint is not None for constraint in constraints)
        if given != 1:
            kinds = "json, regex, choice, grammar, json_object, structural_tag"
            problem = "but multiple are specified" if given else "but none are specified"
            must = "can only" if given else "must"
            raise invalid(
                f"You {must} use one kind of structured outputs constraint {problem}: "
                f"give exactly one of {kinds}."
            )


class RepetitionDetection(Struct):
    """Ends generation early where an n-gram pattern repeats."""

    max_pattern_size: int = 0
    min_pattern_size: int = 0
    min_count: int = 0

    def __post_init__(self) -> None:
        if (
            self.max_pattern_size < 0
            or self.min_pattern_size < 0
            or self.min_pattern_size > self.max_pattern_size
        ):
            raise invalid(
                "max_pattern_size, min_pattern_size must be >=0, "
                "with min_pattern_size <= max_pattern_size. "
                "Set both to 0 to disable repetitive pattern detection."
            )
        if self.max_pattern_size > 0 and self.min_count < 2:
            raise invalid(
                "min_count must be >= 2 to detect repetitive patterns "
                "in engine output. If you do not wish to detect repetitive "
                "patterns, set max_pattern_size to 0."
            )
