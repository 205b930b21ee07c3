"""Folders of models whose family has its own renderer, made of a tokenizer that we have.

What they change is config.json, and tokens that the family's format needs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

DEMO_MODEL = Path(__file__).parent.parent.parent / "render_service" / "demo_model"


class Made(NamedTuple):
    """base: a fetched model, `demo` for the bundled one. tokens: special ones that are added.

    code: of a tokenizer class, OwnTokenizer.
    """

    base: str
    config: Mapping[str, Any] = MappingProxyType({})
    tokens: tuple[str, ...] = ()
    code: str | None = None


# Where a real model has its renderer.
SHOWS_ARGUMENTS = """
import json
from transformers import PreTrainedTokenizerFast

class OwnTokenizer(PreTrainedTokenizerFast):
    def apply_chat_template(self, messages, tokenize=False, return_dict=True, **kwargs):
        if "refuse" in kwargs:
            raise ValueError("refused")
        assert tokenize and not return_dict
        shown = json.dumps([messages, kwargs], ensure_ascii=False, sort_keys=True)
        return self.encode(shown, add_special_tokens=False)
"""

MADE = {
    "demo": Made("demo"),
    "gptoss": Made("gptoss", {"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"]}),
    "deepseek_v3": Made("deepseek_v3"),
    "inkling": Made(
        "demo",
        tokens=(
            *(f"<|message_{role}|>" for role in ("user", "model", "system", "tool")),
            *(f"<|content_{kind}|>" for kind in ("text", "thinking", "image", "audio_input")),
            *("<|content_invoke_tool_json|>", "<|content_model_end_sampling|>"),
            *("<|unused_200024|>", "<|end_message|>", "<|audio_end|>"),
        ),
    ),
    "kimi_k3": Made("demo", code=SHOWS_ARGUMENTS),
}


def make(name: str, models: Path, folder: Path) -> Path:
    """The folder, which is made. models: where fetched models are."""
    base, config, tokens, code = MADE[name]
    source = DEMO_MODEL if base == "demo" else models / base
    shutil.copytree(source, folder, dirs_exist_ok=True)
    _change(folder / "config.json", lambda old: {**old, **config})
    if tokens:
        _change(folder / "tokenizer.json", lambda old: _with_tokens(old, tokens))
    if code is not None:
        (folder / "tokenization_own.py").write_text(code)
        own = {"AutoTokenizer": [None, "tokenization_own.OwnTokenizer"]}
        _change(folder / "tokenizer_config.json", lambda old: {**old, "auto_map": own})
    return folder


def _change(file: Path, change: Any) -> None:
    file.write_text(json.dumps(change(json.loads(file.read_text()))))


def _with_tokens(tokenizer: dict[str, Any], tokens: tuple[str, ...]) -> dict[str, Any]:
    """They get the IDs behind those that the vocabulary has."""
    added = tokenizer["added_tokens"]
    known = {token["content"] for token in added}
    first = max([*tokenizer["model"]["vocab"].values(), *(token["id"] for token in added)]) + 1
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    new = [
        {"id": first + place, "content": token, "special": True, **flags}
        for place, token in enumerate(token for token in tokens if token not in known)
    ]
    return {**tokenizer, "added_tokens": [*added, *new]}
