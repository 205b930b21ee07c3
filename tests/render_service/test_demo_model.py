"""The demo model: a model folder that any server can load, made by a script in the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoTokenizer

from tests.conftest import DEMO_MODEL, ROOT

FILES = {
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
}
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKERS = [
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def read(name: str) -> Any:
    return json.loads((DEMO_MODEL / name).read_text("utf-8"))


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(DEMO_MODEL)


def render(tokenizer: Any, messages: list[dict[str, Any]], **options: Any) -> str:
    options = {"add_generation_prompt": True, **options}
    text: str = tokenizer.apply_chat_template(messages, tokenize=False, **options)
    return text


def test_it_is_complete_and_small() -> None:
    assert {path.name for path in DEMO_MODEL.iterdir()} == FILES
    assert sum(path.stat().st_size for path in DEMO_MODEL.iterdir()) < 300_000


def test_the_script_makes_exactly_these_files(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "make_demo_model.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, stdout=subprocess.DEVNULL)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (DEMO_MODEL / name).read_bytes(), name


def test_markers_have_qwen3_s_flags_and_ids_within_the_padded_vocabulary() -> None:
    added = {item["content"]: item for item in read("tokenizer.json")["added_tokens"]}
    assert [t for t, item in added.items() if item["special"]] == SPECIAL
    assert [t for t, item in added.items() if not item["special"]] == MARKERS
    size = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json")).get_vocab_size()
    assert max(item["id"] for item in added.values()) == size - 1
    assert size < read("config.json")["vocab_size"] < size + 100


def test_generation_defaults_are_qwen3_s() -> None:
    generation = read("generation_config.json")
    assert (generation["temperature"], generation["top_p"], generation["top_k"]) == (0.6, 0.95, 20)
    ids = {item["content"]: item["id"] for item in read("tokenizer.json")["added_tokens"]}
    assert generation["eos_token_id"] == [ids["<|im_end|>"], ids["<|endoftext|>"]]


def test_it_loads_in_transformers_and_agrees_with_tokenizers(tokenizer: Any) -> None:
    fast = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
    texts = [path.read_text("utf-8") for path in (ROOT / "scripts" / "demo_text").glob("*.txt")]
    texts += ["".join(SPECIAL + MARKERS), "  spaces\t\n\n\n and 12345's é\N{ROCKET}", ""]
    for text in texts:
        ids = tokenizer.encode(text)
        assert ids == fast.encode(text).ids
        assert tokenizer.decode(ids) == text
    assert tokenizer.eos_token == "<|im_end|>"
    assert set(tokenizer.all_special_tokens) == set(SPECIAL)
    assert AutoConfig.from_pretrained(DEMO_MODEL).model_type == "qwen3"


def test_the_template_renders_system_user_and_the_generation_prompt(tokenizer: Any) -> None:
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]
    text = "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nQ<|im_end|>\n"
    assert render(tokenizer, messages) == text + "<|im_start|>assistant\n"
    assert render(tokenizer, messages, add_generation_prompt=False) == text
    closed = text + "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert render(tokenizer, messages, enable_thinking=False) == closed


def test_the_template_lists_tools_after_the_system_message(tokenizer: Any) -> None:
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]
    text = render(tokenizer, messages, tools=[TOOL, TOOL])
    assert text.startswith("<|im_start|>system\nS\n\n# Functions\n")
    section = text.split("<tools>\n")[1].split("\n</tools>")[0]
    assert [json.loads(line) for line in section.splitlines()] == [TOOL, TOOL]
    assert render(tokenizer, messages[1:], tools=[TOOL]).startswith("<|im_start|>system\n# Func")


def test_the_template_renders_calls_results_and_fresh_reasoning(tokenizer: Any) -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": {"a": "ü"}}}
    raw = {"function": {"name": "g", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "old"},
        {"role": "assistant", "content": "said", "reasoning": "dropped"},
        {"role": "user", "content": "new"},
        {
            "role": "assistant",
            "content": "\n\nwords\n",
            "reasoning": " why ",
            "tool_calls": [call, raw],
        },
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "system", "content": "late"},
        {"role": "assistant", "content": None, "tool_calls": [raw]},
    ]
    assert render(tokenizer, messages, add_generation_prompt=False) == (
        "<|im_start|>user\nold<|im_end|>\n"
        "<|im_start|>assistant\nsaid<|im_end|>\n"
        "<|im_start|>user\nnew<|im_end|>\n"
        "<|im_start|>assistant\n<think>\nwhy\n</think>\n\nwords\n"
        '<tool_call>\n{"name": "f", "arguments": {"a": "ü"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n"
        "<tool_response>\n2\n</tool_response><|im_end|>\n"
        "<|im_start|>system\nlate<|im_end|>\n"
        '<|im_start|>assistant\n<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
        "<|im_end|>\n"
    )


def test_the_template_can_continue_the_last_message(tokenizer: Any) -> None:
    messages = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "It is"}]
    text = render(tokenizer, messages, add_generation_prompt=False, continue_final_message=True)
    assert text.endswith("<|im_start|>assistant\nIt is")


def test_the_template_refuses_an_unknown_role(tokenizer: Any) -> None:
    with pytest.raises(Exception, match="Unknown role: judge"):
        render(tokenizer, [{"role": "judge", "content": "x"}])
