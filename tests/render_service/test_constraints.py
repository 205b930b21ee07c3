"""Constraints where parsers go by the model: as vLLM 0.33.0 has them, recorded by
`tests/record/model_constraints.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from render_service.adjust import keeps_special_tokens
from render_service.cohere_tags import hold_sections
from render_service.constraints import Constrained, constrain
from render_service.errors import RequestError
from render_service.hub import ModelFiles
from render_service.mistral_constraints import hold_output
from render_service.mistral_grammar import MistralGrammar
from render_service.protocol.chat import decode_chat_request
from render_service.protocol.fields import (
    FunctionDefinition,
    NamedFunction,
    NamedToolChoice,
    ToolParam,
)
from render_service.renderers.choice import load_family_tokenizer
from render_service.sampling import structured_outputs
from render_service.settings import Settings
from render_service.tokenizer import Tokenizer
from tests.record.cohere_calls import without_calls

from .family_models import MADE, make

GOLDEN = Path(__file__).parent.parent / "golden" / "model_constraints.jsonl"
Line = dict[str, Any]

# By case, and the start of the server's name.
DELIBERATE = {
    ("many", "cohere "): "a schema that only xgrammar finds wrong, which vLLM runs for calls",
    ("many", "cohere_command3 C"): "as above",
    ("many", "cohere_command4 C"): "as above",
    ("own tag strictly", "mixed"): "as below",
    ("format strictly", "mixed"): "a tag of the newer form holds alone",
    ("both called", "mixed"): "two constraints are refused though calls take the place of both",
    ("both called", "cohere_command3 None"): "as above",
    ("both called", "cohere_command4 None"): "as above",
}


@lru_cache
def recorded() -> tuple[Line, list[Line]]:
    first, *lines = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return first, lines


@pytest.fixture(scope="module")
def tokenizer_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Tokenizer]:
    @lru_cache
    def load(name: str) -> Tokenizer:
        tekken = MADE[name].tekken is not None
        if tekken:
            pytest.importorskip("mistral_common")
        folder = make(name, Path(), tmp_path_factory.mktemp("model"))
        files = ModelFiles(name, folder)
        return load_family_tokenizer("mistral" if tekken else "hf", files, {}, remote_code=False)

    return load


def given(server: Line, tokenizer: Tokenizer, body: Line) -> tuple[Settings, Constrained]:
    settings = Settings(
        tool_call_parser=server.get("tool"),
        reasoning_parser=server.get("reasoning"),
        enable_auto_tool_choice=server.get("tool") is not None,
    )
    architecture = server.get("architecture")
    config = {} if architecture is None else {"architectures": [architecture]}
    request = decode_chat_request(json.dumps(body).encode())
    return settings, constrain(settings, request, tokenizer=tokenizer, config=config)


def outcome(server: Line, tokenizer: Tokenizer, body: Line) -> Line:
    try:
        settings, (request, whole) = given(server, tokenizer, body)
        outputs = structured_outputs(request.structured_outputs, request.response_format)
    except RequestError as error:
        return {"error": error.message}
    keeps = keeps_special_tokens(settings, decode_chat_request(json.dumps(body).encode()))
    fields = msgspec.to_builtins(outputs) if outputs else {}
    fields = {
        name: value for name, value in fields.items() if value is not None and value is not False
    }
    if "structural_tag" in fields:
        fields["structural_tag"] = without_calls(json.loads(fields["structural_tag"]))
    found: Line = {"structured_outputs": fields or None}
    found |= {"whole": True} if whole else {}
    return found | ({"special": True} if keeps or request.skip_special_tokens is False else {})


def same_words(ours: str, theirs: str | None) -> bool:
    """vLLM's own are with the parameter; pydantic's, and a Python dictionary, are not copied."""
    return theirs is None or theirs.partition(" (parameter=")[0].startswith(ours.partition(":")[0])


@pytest.mark.parametrize("name", recorded()[0]["servers"])
def test_same_constraints_as_vllm(name: str, tokenizer_of: Callable[[str], Tokenizer]) -> None:
    first, lines = recorded()
    server = first["servers"][name]
    tokenizer = tokenizer_of(server["tokenizer"])
    different = []
    for line in lines:
        if name not in line["servers"]:
            continue
        fields = first["cases"][line["case"]]
        tools = [first["tools"][tool] for tool in fields["tools"]] or None
        body = {"messages": [{"role": "user", "content": "hi"}], **fields, "tools": tools}
        ours, theirs = outcome(server, tokenizer, body), line["answer"]
        if "error" in ours and "error" in theirs and same_words(ours["error"], theirs["error"]):
            continue
        # The order of the keys counts.
        same = json.dumps(ours) == json.dumps(theirs)
        if any(line["case"] == case and name.startswith(start) for case, start in DELIBERATE):
            assert not same, line["case"]
        elif not same:
            different.append((line["case"], theirs, ours))
    assert not different, f"{len(different)} differ, first {different[0]}"


def test_what_a_grammar_needs() -> None:
    tokens = {"[TOOL_CALLS]": 9}
    town = ToolParam(function=FunctionDefinition(name="town", strict=True))
    grammar = MistralGrammar(tokens, 11)
    with pytest.raises(RequestError, match=r"Unknown special token: \[ARGS\]"):
        grammar.text("auto", [town])
    with pytest.raises(RequestError, match="requires the clock tool"):
        grammar.text("required", [town], named="clock")
    with pytest.raises(RequestError, match="needs tools"):
        grammar.text("required", [])
    assert "%json {}" not in MistralGrammar({**tokens, "[ARGS]": 8}, 13).text("auto", [town])


@pytest.mark.parametrize("names", [None, [], "Cohere2ForCausalLM", [1]])
def test_without_an_architecture_nothing_is_held(
    names: Any, tokenizer_of: Callable[[str], Tokenizer]
) -> None:
    settings = Settings(reasoning_parser="cohere_command3")
    body = {"messages": [{"role": "user", "content": "hi"}], "response_format": {"type": "text"}}
    body["structured_outputs"] = {"json": {"type": "object"}}
    request = decode_chat_request(json.dumps(body).encode())
    config = {"architectures": names}
    found = constrain(settings, request, tokenizer=tokenizer_of("demo"), config=config)
    assert found.request is request


def test_a_schema_in_broken_text_is_no_schema() -> None:
    request = decode_chat_request(
        b'{"messages": [{"role": "user", "content": "hi"}],'
        b' "structured_outputs": {"json": {"schema": "{", "type": "object"}}}'
    )
    outputs = hold_sections(request, "Cohere2ForCausalLM").structured_outputs
    assert outputs is not None
    assert outputs.structural_tag is not None
    (tag,) = json.loads(outputs.structural_tag)["format"]["tags"]
    assert tag["content"]["json_schema"] == {"schema": "{", "type": "object"}


def test_an_unknown_named_tool_is_not_forced() -> None:
    """As a Messages request may have it; with Mistral's own tokenizers it is refused."""
    request = decode_chat_request(
        b'{"messages": [{"role": "user", "content": "hi"}],'
        b' "tools": [{"type": "function", "function": {"name": "town"}}]}'
    )
    choice = NamedToolChoice(function=NamedFunction(name="clock"))
    held, whole = hold_output(msgspec.structs.replace(request, tool_choice=choice), None)
    assert (held.structured_outputs, held.skip_special_tokens, whole) == (None, False, False)
