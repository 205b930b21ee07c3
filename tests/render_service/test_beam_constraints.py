"""Outputs held to a response template: as vLLM 0.33.0 has them, recorded by
`tests/record/beam_constraints.py`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parsers.response_format import TemplateFormat
from parsers.response_template import load_template
from render_service import render, responses
from render_service.beam_constraints import BEAM, hold_to_template, opening
from render_service.beam_patterns import AHEAD, split_group, texts
from render_service.beam_values import may_write, value_format
from render_service.constraints import constrain
from render_service.errors import RequestError
from render_service.hub import ModelFiles
from render_service.loading import load_model
from render_service.model import Model
from render_service.protocol.chat import ChatRequest, decode_chat_request
from render_service.renderers.choice import load_family_tokenizer
from render_service.sampling import structured_outputs
from render_service.settings import Settings
from render_service.tokenizer import Tokenizer
from tests.parsers.families.response_template import CHAT
from tests.record.beam_cases import cases, prompt_of, request_of, servers, templates

from .family_models import make
from .test_response_template import folder_with

GOLDEN = Path(__file__).parent.parent / "golden" / "beam_constraints.jsonl"
Line = dict[str, Any]

NOT_COMPILED = {"prefixes", "strict never", "loose never", "strict odd_required"} | {
    "loose odd_required"
}
"""Cases with a schema that xgrammar does not compile: vLLM then does not hold the arguments."""


@lru_cache
def recorded() -> list[Line]:
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    files = ModelFiles("demo", make("demo", Path(), tmp_path_factory.mktemp("model")))
    return load_family_tokenizer("hf", files, {}, remote_code=False)


def outcome(tokenizer: Tokenizer, server: Line, fields: Line) -> Line:
    tool = BEAM if server["tool"] else None
    reasoning = BEAM if server["reasoning"] else None
    settings = Settings(
        tool_call_parser=tool,
        reasoning_parser=reasoning,
        enable_auto_tool_choice=server["tool"],
        tool_strict_level=server.get("level"),
    )

    def decode(ids: Any) -> str:
        return tokenizer.decode(ids, skip_special_tokens=False)

    format = TemplateFormat(load_template(templates()[server["template"]]), tool, reasoning, decode)
    prompt = tokenizer.encode(prompt_of(server), add_special_tokens=False)
    kwargs = {} if server.get("thinks", True) else {"enable_thinking": False}
    request = decode_chat_request(json.dumps(request_of(fields)).encode())
    try:
        held, whole = constrain(
            settings,
            request,
            tokenizer=tokenizer,
            config={},
            opens=opening(format, prompt, lambda: kwargs),
        )
    except RequestError as error:
        return {"error": error.message}
    outputs = structured_outputs(held.structured_outputs, held.response_format)
    fields = msgspec.to_builtins(outputs) if outputs else {}
    kept = {key: value for key, value in fields.items() if value is not None and value is not False}
    if "structural_tag" in kept:
        kept["structural_tag"] = json.loads(kept["structural_tag"])
    return {"structured_outputs": kept or None, **({"whole": True} if whole else {})}


@pytest.mark.parametrize("name", servers())
def test_same_constraints_as_vllm(name: str, tokenizer: Tokenizer) -> None:
    server, different = servers()[name], []
    for line in recorded():
        if name in line["servers"]:
            ours, theirs = outcome(tokenizer, server, cases()[line["case"]]), line["answer"]
            # The order of the keys counts.
            if json.dumps(ours) == json.dumps(theirs):
                continue
            if line["case"] in NOT_COMPILED:
                assert "json_schema" in json.dumps(ours), line["case"]
            else:
                different.append((line["case"], theirs, ours))
    assert not different, f"{[d[0] for d in different]} differ, first {different[0]}"


def model_with(tmp_path: Path, name: str) -> Model:
    folder = folder_with(tmp_path, templates()[name])
    return load_model(
        Settings(
            model=str(folder),
            tool_call_parser=BEAM,
            reasoning_parser=BEAM,
            enable_auto_tool_choice=True,
        )
    )


def test_render_holds_the_output_to_the_template(tmp_path: Path) -> None:
    model = model_with(tmp_path, "json")
    body = request_of({"tools": ["five"], "tool_choice": "required"})

    def rendered(**fields: Any) -> Line:
        answer: Line = json.loads(render.chat(model, json.dumps(body | fields).encode(), None).body)
        return answer

    answer = rendered()
    sampling = answer["sampling_params"]
    tag = json.loads(sampling["structured_outputs"]["structural_tag"])
    assert tag["format"]["elements"][0]["begin"] == "<think>"
    assert (answer["reasoning_ended"], sampling["skip_special_tokens"]) == (True, False)
    kwargs = {"enable_thinking": False}
    off = rendered(chat_template_kwargs=kwargs)["sampling_params"]["structured_outputs"]
    assert json.loads(off["structural_tag"])["format"]["elements"][0]["type"] == "optional"
    unheld = rendered(tools=None, tool_choice=None)["sampling_params"]["structured_outputs"]
    assert "five" not in unheld["structural_tag"]


def hold(template: str, name: str, parameters: Line) -> ChatRequest:
    format = TemplateFormat(load_template(templates()[template]), BEAM, BEAM, lambda _: CHAT)
    opens = opening(format, [1], dict)
    assert opens is not None
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    body = json.dumps(request_of({}) | {"tools": [tool]}).encode()
    settings = Settings(tool_call_parser=BEAM, enable_auto_tool_choice=True)
    return hold_to_template(settings, decode_chat_request(body), opens)[0]


def test_a_tag_does_not_become_vast() -> None:
    """Each parameter comes with the definitions."""
    properties = {f"p{at}": {"$ref": "#/$defs/P", "type": "object"} for at in range(400)}
    parameters = {"properties": properties, "$defs": {"P": {"description": "d" * 50_000}}}
    with pytest.raises(RequestError, match="too large") as refused:
        hold("tags", "a", parameters)
    assert (refused.value.status, refused.value.param) == (400, "tools")
    assert hold("json", "a", parameters).structured_outputs


def test_a_long_name_is_no_deep_recursion() -> None:
    assert hold("json", "a" * 200, {}).structured_outputs
    with pytest.raises(RequestError, match="too long") as refused:
        hold("json", "a" * 5000, {})
    assert (refused.value.status, refused.value.param) == (400, "tools")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a|b?c", ["a", "c", "bc"]),
        (r"\<(?:x|y)\n", ["<x\n", "<y\n"]),
        ("a??", None),
        ("]", None),
        (r"\d", None),
        ("(a)", None),
        ("(?:a", None),
        ("(?:a|b|c)(?:a|b|c)(?:a|b|c)", None),
        ("^a", None),
        ("a(?=b)", None),
    ],
)
def test_what_a_pattern_spells(pattern: str, found: list[str] | None) -> None:
    assert texts(pattern) == found


def test_what_a_pattern_spells_at_the_beginning() -> None:
    assert texts("^a|^|b^|c", at_start=True) == ["a", "c"]
    assert texts("a(?=b)|c", ahead=True) == [f"a{AHEAD}b", "c"]
    assert split_group(r"a[)](?P<key>[^)]\)(?:x))>", "key") == ("a[)]", r"[^)]\)(?:x)", ">")
    assert split_group("a", "key") is None


def test_a_pattern_that_is_not_understood_may_write_all() -> None:
    deep = "(?:" * 400 + "a" + ")" * 400
    assert [may_write(p, {"<"}) for p in ("a(?!b)", deep, "[^a]", "[^ab]", "a{0}", r"\D")] == [
        True, True, True, True, False, True,
    ]  # fmt: skip


def test_schemas_that_are_none() -> None:
    for schema in (False, 5, None, {"format": []}, {"type": "string", "format": []}):
        assert value_format(schema, {}, ["</p>"], as_json=False) is None
    assert value_format(5, {}, ["</p>"], as_json=True) == {
        "type": "json_schema",
        "json_schema": {},
        "excludes": ["</p>"],
    }
    assert value_format({"anyOf": 5}, {}, [], as_json=False) == {"type": "any_text"}


def test_a_response_without_functions_cannot_be_forced(tmp_path: Path) -> None:
    body = {"input": "hi", "tools": [{"type": "web_search_preview"}], "tool_choice": "required"}
    model = model_with(tmp_path, "json")
    with pytest.raises(RequestError, match="cannot guarantee required") as refused:
        responses.responses(model, json.dumps(body).encode(), None)
    assert (refused.value.status, refused.value.param) == (400, "tool_choice")
    answer = responses.responses(model, json.dumps(body | {"tool_choice": "auto"}).encode(), None)
    assert "structural_tag" in json.loads(answer.body)["sampling_params"]["structured_outputs"]
