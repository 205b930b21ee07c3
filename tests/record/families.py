"""Record how vLLM renders chats of models without a template: tests/golden/families/*.jsonl.

    python -m tests.record.families make FAMILY MODELS FOLDER
    python -m tests.record.families record FAMILY http://127.0.0.1:8100

FAMILY is a name in FAMILIES. `make` makes its model in FOLDER, of a tokenizer in MODELS, and prints
the server to run (vLLM 0.33.0); `record` asks it.
The first line of a golden file holds the model and the server's settings, as those of
tests/golden/render do; each other line a case and its answer: whole where the family changes more
than the prompt, else the prompt's token IDs. Messages of pydantic are not kept: ours differ.
`_doors` are requests of other APIs, `_calls` those with tools for a server with parsers: Mistral's
needs mistral-common 1.11 or 1.12, as `model_constraints.py` says.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from render_service.corpus import Case, unique
from render_service.corpus.response_items import item_cases
from render_service.corpus.response_tools import call_grammar_cases, tool_cases
from tests.record.cohere_calls import without_calls_in
from tests.record.door_cases import door_cases, earlier_cases
from tests.record.family_cases import family_cases
from tests.record.render import flags, post, stable
from tests.record.server_cases import grammar_cases
from tests.render_service.family_models import make

GOLDEN = Path(__file__).parent.parent / "golden" / "families"
DATE = "2026-01-02"


class Family(NamedTuple):
    """whole: answers are kept whole. variables: of the server's environment."""

    model: str
    settings: dict[str, Any]
    whole: bool = False
    variables: Mapping[str, str] = MappingProxyType({})


FAMILIES = {
    "harmony": Family(
        "gptoss",
        {
            "served_model_name": ["gptoss"],
            "reasoning_parser": "openai_gptoss",
            "tool_call_parser": "openai",
            "enable_auto_tool_choice": True,
            "exclude_tools_when_tool_choice_none": True,
            "reasoning_effort_map": {"xhigh": "high"},
        },
        whole=True,
        variables={"VLLM_SYSTEM_START_DATE": DATE},
    ),
    "harmony_doors": Family(
        "gptoss",
        {
            "served_model_name": ["gptoss"],
            "reasoning_parser": "openai_gptoss",
            "tool_call_parser": "openai",
            "enable_auto_tool_choice": True,
            "max_model_len": 360,
        },
        whole=True,
        variables={"VLLM_SYSTEM_START_DATE": DATE},
    ),
    "harmony_plain": Family(
        "gptoss",
        {"served_model_name": ["gptoss"], "max_model_len": 512},
        variables={
            "VLLM_SYSTEM_START_DATE": DATE,
            "VLLM_GPT_OSS_HARMONY_SYSTEM_INSTRUCTIONS": "1",
        },
    ),
    **{
        mode: Family("deepseek_v3", {"served_model_name": ["deepseek"], "tokenizer_mode": mode})
        for mode in ("deepseek_v32", "deepseek_v4", "deepseek_v41")
    },
    "inkling": Family("inkling", {"served_model_name": ["ink"], "tokenizer_mode": "inkling"}),
    "kimi_k3": Family(
        "kimi_k3",
        {"served_model_name": ["k3"], "tokenizer_mode": "kimi_k3", "trust_remote_code": True},
    ),
    "mistral": Family(
        "mistral_v3", {"served_model_name": ["mistral"], "tokenizer_mode": "mistral"}
    ),
    "mistral_v15": Family(
        "mistral_v15", {"served_model_name": ["mistral"], "tokenizer_mode": "mistral"}
    ),
    "cohere": Family("demo", {"served_model_name": ["cmd"], "tokenizer_mode": "cohere"}),
}
FAMILIES |= {
    f"{name}_calls": Family(
        model,
        {
            "served_model_name": [name],
            "tokenizer_mode": name,
            "tool_call_parser": parser,
            "reasoning_parser": parser,
            "enable_auto_tool_choice": True,
        },
        whole=True,
    )
    for name, model, parser in (
        ("cohere", "cohere_command", "cohere_command3"),
        ("mistral", "mistral_v15", "mistral"),
    )
}
FAMILIES |= {
    f"{name}_doors": FAMILIES[name]
    for name in ("cohere", "deepseek_v41", "inkling", "kimi_k3", "mistral_v15")
}


def kept(answer: Any, whole: bool) -> Any:
    if isinstance(answer, list):
        return [kept(item, whole) for item in answer]
    answer = stable(answer)
    if "error" in answer:
        message = answer["error"]["message"]
        ours = message is None or re.search(r"\d validation error", message)
        return {"error": {**answer["error"], "message": None if ours else message}}
    if whole:
        return without_calls_in(answer)
    return {
        name: answer[name] for name in ("token_ids", "token_offsets", "tokens") if name in answer
    }


def other_doors(family: Family) -> list[Case]:
    """Responses and Messages requests; many where a family reads items in its own way."""
    few = door_cases(family.settings["served_model_name"][0])
    if not family.whole:
        return unique(few)
    items = [*item_cases(), *tool_cases(), *call_grammar_cases()]
    return unique([*items, *earlier_cases(), *few])


def cases_of(name: str) -> list[Case]:
    family = FAMILIES[name]
    if name.endswith("_calls"):
        return unique([*grammar_cases(), *door_cases(family.settings["served_model_name"][0])])
    return other_doors(family) if name.endswith("_doors") else list(family_cases())


def record(family: Family, cases: list[Case], url: str) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {"model": family.model, "settings": family.settings, "variables": dict(family.variables)}
    ]
    for name, path, body, _ in cases:
        status, answer = post(url + path, body)
        lines.append(
            {
                "case": name,
                "path": path,
                "body": body,
                "status": status,
                "answer": kept(answer, family.whole),
            }
        )
    return lines


def main() -> None:
    command, name, *words = sys.argv[1:]
    family = FAMILIES[name]
    if command == "make":
        folder = make(family.model, Path(words[0]), Path(words[1]))
        variables = [f"{variable}={value}" for variable, value in family.variables.items()]
        print(
            *variables,
            shlex.join(["vllm", "launch", "render", str(folder), *flags(family.settings)]),
        )
        return
    GOLDEN.mkdir(parents=True, exist_ok=True)
    lines = record(family, cases_of(name), words[0])
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (GOLDEN / f"{name}.jsonl").write_text(text)


if __name__ == "__main__":
    main()
