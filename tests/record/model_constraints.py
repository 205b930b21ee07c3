"""Record how vLLM constrains outputs where it goes by the model: `golden/model_constraints.jsonl`.

    RENDER_PEERS=FOLDER PYTHONPATH=LIBRARIES python tests/record/model_constraints.py

FOLDER as in `parsers.py`. LIBRARIES holds `cohere_melody`, and mistral-common 1.11 or 1.12: with
1.13 vLLM 0.33.0 makes no grammar for Mistral's own tokenizers, but an error of each request.
The first line holds the tools by name, the cases, and the servers: parser names, the tokenizer and
the architecture. Each other line holds a case, the servers with the same answer, and that answer:
as in `structural_tags.py`, but null for what `cohere_calls.py` leaves out, and for the error of a
request that is refused by itself; `whole` where the constraint holds the output from its first
token on, `special` where special tokens are kept.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "model_constraints.jsonl"


TAG = '{"type": "structural_tag", "format": {"type": "any_text"}}'
NESTED = '{"a": '
ARCHITECTURES = (
    "Cohere2ForCausalLM",
    "Cohere2MoeForCausalLM",
    "Cohere2VisionForConditionalGeneration",
    "Qwen3ForCausalLM",
)


def servers() -> dict[str, dict[str, Any]]:
    """tokenizer: of a model in `family_models.py`."""
    found: dict[str, dict[str, Any]] = {"hf": {"tool": "hf", "tokenizer": "demo"}}
    kinds = {"both": ("mistral", "mistral"), "calls": ("mistral", None)}
    kinds |= {"reasoning": (None, "mistral")}
    for tokenizer in ("mistral_v3", "mistral_v11", "mistral_v13", "mistral_v15", "mistral_hf"):
        for kind, (tool, reasoning) in kinds.items():
            names = {"tool": tool, "reasoning": reasoning}
            found[f"{tokenizer} {kind}"] = {**names, "tokenizer": tokenizer}
    for name in ("cohere_command3", "cohere_command4"):
        for architecture in (None, *ARCHITECTURES):
            names = {"tool": name, "reasoning": name}
            place = {"tokenizer": "demo", "architecture": architecture}
            found[f"{name} {architecture}"] = {**names, **place}
    found["mixed"] = {"tool": "hermes", "reasoning": "mistral", "tokenizer": "mistral_hf"}
    place = {"tokenizer": "demo", "architecture": ARCHITECTURES[0]}
    found["cohere calls"] = {"tool": "cohere_command3", **place}
    found["cohere reasoning"] = {"reasoning": "cohere_command4", **place}
    return found


def every_case() -> dict[str, dict[str, Any]]:
    """Those of all parsers without a strict level, and some where JSON is asked for."""
    from tests.record.structural_tag_cases import cases

    found = {name: case["request"] for name, case in cases().items() if not case["level"]}
    town = {"type": "object", "properties": {"town": {"type": "string"}}}
    asked: dict[str, dict[str, Any]] = {
        "nothing": {},
        "object": {"response_format": {"type": "json_object"}},
        "text": {"response_format": {"type": "text"}},
        "schema": {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": {"schema": town, "é": "<|"}},
            }
        },
        "empty schema": {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": {}},
            }
        },
        "format": {"response_format": {"type": "structural_tag", "format": {"type": "any_text"}}},
        "own object": {"structured_outputs": {"json_object": True}},
        "own false": {"structured_outputs": {"json_object": False}},
        "own schema": {"structured_outputs": {"json": town, "disable_any_whitespace": True}},
        "own wrapped": {"structured_outputs": {"json": {"json_schema": json.dumps(town)}}},
        "own empty": {"structured_outputs": {"json": {"schema": {}}}},
        "own text": {"structured_outputs": {"json": json.dumps(town)}},
        "own nested": {"structured_outputs": {"json": NESTED * 64 + "1" + "}" * 64}},
        "own too nested": {"structured_outputs": {"json": NESTED * 65 + "1" + "}" * 65}},
        "own list": {"structured_outputs": {"json": "[]"}},
        "own blank": {"structured_outputs": {"json": " "}},
        "own broken": {"structured_outputs": {"json": "{"}},
        "own choice": {"structured_outputs": {"choice": ["a"]}},
        "own tag": {"structured_outputs": {"structural_tag": TAG}},
        "own pattern": {"structured_outputs": {"json": town, "whitespace_pattern": " "}},
        "both": {
            "structured_outputs": {"json": town},
            "response_format": {"type": "json_object"},
        },
        "no special": {"skip_special_tokens": True},
    }
    choices: dict[str, dict[str, Any]] = {
        "alone": {},
        "with tools": {"tools": ["town", "clock"]},
        "not called": {"tools": ["town"], "tool_choice": "none"},
        "called": {"tools": ["town"], "tool_choice": "required"},
        "strictly": {"tools": ["deep", "bare"], "parallel_tool_calls": False},
    }
    for name, fields in asked.items():
        for kind, choice in choices.items():
            found[f"{name} {kind}"] = {"tools": [], **choice, **fields}
    return found


def main() -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.CRITICAL)
    from tests.record.structural_tag_cases import TOOLS
    from tests.record.structural_tags import compact

    every, served = every_case(), servers()
    answers: dict[str, dict[str, list[str]]] = {name: {} for name in every}
    with tempfile.TemporaryDirectory() as folder:
        for name, server in served.items():
            parser, tokenizer = loaded(server, Path(folder))
            for case, fields in every.items():
                given = compact(answer(parser, tokenizer, server, fields, TOOLS))
                answers[case].setdefault(given, []).append(name)
            print(f"{name}: {len(every)} cases", flush=True)
    lines = [compact({"tools": TOOLS, "cases": every, "servers": served})]
    for case, groups in answers.items():
        for given, names in groups.items():
            start = compact({"case": case, "servers": names})
            lines.append(f'{start[:-1]},"answer":{given}}}')
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


def loaded(server: dict[str, Any], folder: Path) -> tuple[Any, Any]:
    """The server's parser class and tokenizer."""
    from vllm.parser import ParserManager
    from vllm.tokenizers import get_tokenizer

    from tests.parsers.families.response_template import JSON
    from tests.render_service.family_models import MADE, make

    name = server["tokenizer"]
    own = MADE[name].tekken is not None
    tokenizer = get_tokenizer(
        str(make(name, Path(), folder / name)), tokenizer_mode="mistral" if own else "hf"
    )
    if server.get("tool") == "hf":
        tokenizer.response_template = JSON
    parser = ParserManager.get_parser(
        tool_parser_name=server.get("tool"),
        reasoning_parser_name=server.get("reasoning"),
        enable_auto_tools=True,
        model_name="recorded",
        tokenizer=tokenizer,
    )
    return parser, tokenizer


def answer(
    parser: Any, tokenizer: Any, server: dict[str, Any], fields: dict[str, Any], tools: Any
) -> dict[str, Any]:
    import msgspec
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.utils.mistral import is_mistral_tool_parser

    from tests.record.cohere_calls import without_calls

    body = {"messages": [{"role": "user", "content": "hi"}], **fields}
    body["tools"] = [tools[name] for name in fields["tools"]] or None
    try:
        request = ChatCompletionRequest.model_validate(json.loads(json.dumps(body)))
    except Exception:
        return {"error": None}
    # As `preprocess_chat` has it.
    holds = is_mistral_tool_parser(parser.tool_parser_cls) and getattr(
        tokenizer, "supports_grammar", False
    )
    reasons = parser.reasoning_parser_cls is not None
    try:
        if parser.always_adjust_request or reasons or request.tool_choice != "none" or holds:
            model = SimpleNamespace(architecture=server.get("architecture"))
            own = parser(tokenizer, request.tools, model_config=model, chat_template_kwargs={})
            request = own.adjust_request(request)
        outputs = request.extract_structured_outputs()
    except Exception as error:
        return {"error": str(error)}
    given = msgspec.to_builtins(outputs) if outputs else {}
    given = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    if tag := given.get("structural_tag"):
        given["structural_tag"] = without_calls(json.loads(tag))
    found: dict[str, Any] = {"structured_outputs": given or None}
    if request._grammar_from_parser:
        found["whole"] = True
    if request.skip_special_tokens is False:
        found["special"] = True
    return found


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main()
