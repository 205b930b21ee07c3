"""What Mistral's parsers change in a chat request before it goes to the engine.

Rule: with Mistral's own newer tokenizers a grammar holds the whole output, thoughts, text, calls
and an answer in JSON. With all others a forced call is JSON, and the engine keeps special tokens in
its text. Source: vLLM 0.33.0's `MistralParser.adjust_request`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .errors import RequestError
from .mistral_grammar import FIRST_VERSION, MistralGrammar
from .protocol.chat import ChatRequest, NamedToolChoice
from .protocol.fields import StructuredOutputs, ToolParam
from .schema_limits import load_schema
from .tokenizer import Tokenizer
from .tokenizer_mistral import MistralTokenizer

_ANY_JSON = {"anyOf": [{"type": "object"}, {"type": "array"}]}


def grammar_of(tokenizer: Tokenizer) -> MistralGrammar | None:
    """None where the tokenizer has none."""
    if not isinstance(tokenizer, MistralTokenizer) or not tokenizer.is_tekken:
        return None
    if tokenizer.version < FIRST_VERSION:
        return None
    return MistralGrammar(tokenizer.added_tokens, tokenizer.version)


def hold_output(request: ChatRequest, grammar: MistralGrammar | None) -> tuple[ChatRequest, bool]:
    """The request, and whether its constraint holds the whole output, thoughts included."""
    if grammar is None or not _takes_the_place_of_others(request):
        return _forced_as_json(keep_special_tokens(request)), False
    schema = _schema(request)
    choice, tools = request.tool_choice, request.tools or ()
    named = choice.function.name if isinstance(choice, NamedToolChoice) else None
    mode = choice if choice in ("none", "required") else "auto"
    only_json = mode == "none" and schema is not None
    text = grammar.text(
        "required" if named is not None else mode,
        tools,
        named=named,
        schema=schema,
        parallel=bool(request.parallel_tool_calls),
        only_json=only_json,
    )
    held = msgspec.structs.replace(
        request,
        structured_outputs=StructuredOutputs(grammar=text),
        response_format=None if request.structured_outputs is None else request.response_format,
    )
    return held, True


def _takes_the_place_of_others(request: ChatRequest) -> bool:
    """Constraints that the grammar cannot have in it hold alone."""
    own, wanted = request.structured_outputs, request.response_format
    if own is not None and any(
        value is not None
        for value in (
            own.regex,
            own.choice,
            own.grammar,
            own.whitespace_pattern,
            own.structural_tag,
        )
    ):
        return False
    return wanted is None or wanted.type != "structural_tag"


def _schema(request: ChatRequest) -> Any:
    """JSON schema of the answer asked for, None where it may be any text."""
    own, wanted = request.structured_outputs, request.response_format
    if own is not None:
        if own.json_object is not None:
            return _ANY_JSON
        if not isinstance(own.json, str):
            return own.json
        try:
            return load_schema(own.json)
        except ValueError as error:
            raise RequestError(str(error)) from error
    if wanted is None or wanted.type == "text":
        return None
    return _ANY_JSON if wanted.json_schema is None else wanted.json_schema.schema


def keep_special_tokens(request: ChatRequest) -> ChatRequest:
    """All that is done for a request of the Responses API."""
    return msgspec.structs.replace(request, skip_special_tokens=False)


def _forced_as_json(request: ChatRequest) -> ChatRequest:
    wanted, choice, tools = request.response_format, request.tool_choice, request.tools
    named = choice.function.name if isinstance(choice, NamedToolChoice) else None
    held = request.structured_outputs is not None or (
        wanted is not None and wanted.type == "structural_tag"
    )
    if held or not tools or not (named is not None or choice == "required"):
        return request
    if named is not None:
        tools = [tool for tool in tools if tool.function.name == named]
        if not tools:
            return request
    schema = {
        "type": "array",
        "minItems": 1,
        **({} if named is None else {"maxItems": 1}),
        "items": {"type": "object", "anyOf": list(map(_call, tools))},
    }
    outputs = StructuredOutputs(json=schema)
    return msgspec.structs.replace(request, structured_outputs=outputs, response_format=None)


def _call(tool: ToolParam) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "enum": [tool.function.name]},
            "arguments": tool.function.parameters or {"type": "object"},
        },
        "required": ["name", "arguments"],
    }
