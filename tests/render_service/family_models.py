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

    code: of a tokenizer class, OwnTokenizer. tekken: the version of a tokenizer in Mistral's form.
    """

    base: str
    config: Mapping[str, Any] = MappingProxyType({})
    tokens: tuple[str, ...] = ()
    code: str | None = None
    tekken: str | None = None


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

_COHERE_PARTS = ("THINKING", "RESPONSE", "ACTION", "TEXT")

MADE = {
    "demo": Made("demo"),
    "gptoss": Made("gptoss", {"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"]}),
    "deepseek_v3": Made("deepseek_v3"),
    "harmony_demo": Made(
        "demo",
        {"model_type": "gpt_oss"},
        tuple(
            f"<|{name}|>" for name in ("start", "channel", "constrain", "message", "end", "call")
        ),
    ),
    "mistral_v3": Made("demo", tekken="v3"),
    "mistral_v11": Made("demo", tekken="v11"),
    "mistral_v13": Made("demo", tekken="v13"),
    "mistral_v15": Made("demo", tekken="v15"),
    "cohere_command": Made(
        "demo",
        {"architectures": ["Cohere2ForCausalLM"]},
        tuple(f"<|{at}_{part}|>" for part in _COHERE_PARTS for at in ("START", "END")),
    ),
    "mistral_hf": Made("demo", tokens=("[TOOL_CALLS]", "[ARGS]")),
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
    base, config, tokens, code, tekken = MADE[name]
    source = DEMO_MODEL if base == "demo" else models / base
    shutil.copytree(source, folder, dirs_exist_ok=True)
    if tekken is not None:
        (folder / "tekken.json").write_text(json.dumps(_tekken(tekken)))
    _change(folder / "config.json", lambda old: {**old, **config})
    if tokens:
        _change(folder / "tokenizer.json", lambda old: _with_tokens(old, tokens))
    if code is not None:
        (folder / "tokenization_own.py").write_text(code)
        own = {"AutoTokenizer": [None, "tokenization_own.OwnTokenizer"]}
        _change(folder / "tokenizer_config.json", lambda old: {**old, "auto_map": own})
    return folder


def _tekken(version: str) -> dict[str, Any]:
    """The start of the vocabulary that mistral-common comes with, all special tokens before it."""
    import mistral_common
    from mistral_common.tokens.tokenizers.base import SpecialTokens
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    data = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
    found: dict[str, Any] = json.loads(data.read_text())
    names = [token["token_str"] for token in Tekkenizer.DEPRECATED_SPECIAL_TOKENS]
    names += [token.value for token in SpecialTokens if token.value not in names]
    special = [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)
    ]
    own = {"default_vocab_size": 1300, "default_num_special_tokens": 100, "version": version}
    effort = {"type": "enum", "values": ["none", "high"], "accepts_none": True, "default": "high"}
    settings = {"model_settings_builder": {"reasoning_effort": effort}} if version == "v15" else {}
    return {
        **settings,
        "config": {**found["config"], **own},
        "vocab": found["vocab"][:1200],
        "special_tokens": special,
    }


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
