"""Record how vLLM's parser `beam` constrains outputs: `golden/beam_constraints.jsonl`.

    RENDER_PEERS=FOLDER python tests/record/beam_constraints.py

FOLDER as in `parsers.py`. Each line holds a case of `beam_cases.py`, the servers with the same
answer, and that answer as in `model_constraints.py`.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "beam_constraints.jsonl"


def main() -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.CRITICAL)
    from vllm.tokenizers import get_tokenizer

    from tests.record.beam_cases import cases, cases_of, servers
    from tests.record.structural_tags import compact
    from tests.render_service.family_models import make

    with tempfile.TemporaryDirectory() as folder:
        tokenizer = get_tokenizer(str(make("demo", Path(), Path(folder) / "demo")))
    answers: dict[str, dict[str, list[str]]] = {name: {} for name in cases()}
    for name, server in servers().items():
        for case, fields in cases_of(server).items():
            given = compact(answer(tokenizer, server, fields))
            answers[case].setdefault(given, []).append(name)
    lines = []
    for case, groups in answers.items():
        for given, names in groups.items():
            start = compact({"case": case, "servers": names})
            lines.append(f'{start[:-1]},"answer":{given}}}')
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


def answer(tokenizer: Any, server: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    import msgspec
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser import ParserManager
    from vllm.tool_parsers.structural_tag_registry import ToolStrictLevel

    from tests.record.beam_cases import prompt_of, request_of, templates

    tokenizer.response_template = templates()[server["template"]]
    beam = ParserManager.get_parser(
        tool_parser_name="beam" if server["tool"] else None,
        reasoning_parser_name="beam" if server["reasoning"] else None,
        enable_auto_tools=server["tool"],
        model_name="recorded",
        tokenizer=tokenizer,
    )
    level = server.get("level")
    beam.tool_strict_level = ToolStrictLevel[level.upper()] if level else None
    request = ChatCompletionRequest.model_validate(request_of(fields))
    kwargs = {} if server.get("thinks", True) else {"enable_thinking": False}
    try:
        parser = beam(tokenizer, request.tools, chat_template_kwargs=kwargs)
        parser.set_prompt_token_ids(tokenizer.encode(prompt_of(server), add_special_tokens=False))
        request = parser.adjust_request(request)
        outputs = request.extract_structured_outputs()
    except Exception as error:
        return {"error": str(error)}
    given = msgspec.to_builtins(outputs) if outputs else {}
    kept = {key: value for key, value in given.items() if value is not None and value is not False}
    if tag := kept.get("structural_tag"):
        kept["structural_tag"] = json.loads(tag)
        assert json.dumps(kept["structural_tag"]) == tag or fields.get("structured_outputs")
    whole = {"whole": True} if request._grammar_from_parser else {}
    return {"structured_outputs": kept or None, **whole}


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main()
