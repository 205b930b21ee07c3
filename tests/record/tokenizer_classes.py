"""Record which tokenizer class transformers chooses, into tests/golden/tokenizer_classes.json.

    python tests/record/tokenizer_classes.py        (transformers 5.19.0, as vLLM 0.33.0 has it)

For each model type and each class that tokenizer_config.json may name: the class of the tokenizer
that AutoTokenizer makes of a small tokenizer.json, or null where it fails.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

import transformers
from tokenizers import Tokenizer, models
from transformers import AutoTokenizer

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))
from render_service.tokenizer_class import MODEL_TYPES  # noqa: E402 - needs the path above

DECLARED = (
    None,
    "PreTrainedTokenizerFast",
    "PreTrainedTokenizer",
    "TokenizersBackend",
    "UnknownTokenizer",
    "BloomTokenizerFast",
    "Qwen2TokenizerFast",
    "Qwen2Tokenizer",
    "LlamaTokenizerFast",
    "GPT2Tokenizer",
    "GemmaTokenizerFast",
    "GPTNeoXTokenizerFast",
    "CohereTokenizerFast",
    "RobertaTokenizerFast",
)
SPECIAL = ("<unk>", "<s>", "</s>", "<pad>", "<|endoftext|>", "<bos>", "<eos>")


def chosen(folder: Path, model_type: str, declared: str | None) -> str | None:
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    config = {} if declared is None else {"tokenizer_class": declared}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    try:
        # vLLM rules out Mistral's own format before it asks AutoTokenizer.
        return type(AutoTokenizer.from_pretrained(folder, mistral_format=False)).__name__
    except Exception:
        return None


def main() -> None:
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    model_types = sorted({*MODEL_TYPES, "llama", "bloom", "opt", "custom-type"})
    # Model types that share all answers share a row.
    rows: dict[tuple[str | None, ...], list[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vocab = {text: i for i, text in enumerate((*SPECIAL, "a", "b"))}
        Tokenizer(models.BPE(vocab, [])).save(str(folder / "tokenizer.json"))
        for model_type in model_types:
            row = tuple(chosen(folder, model_type, declared) for declared in DECLARED)
            rows.setdefault(row, []).append(model_type)
    golden = {
        "transformers": transformers.__version__,
        "declared": DECLARED,
        "chosen": [{"model_types": types, "classes": row} for row, types in rows.items()],
    }
    path = ROOT / "tests" / "golden" / "tokenizer_classes.json"
    path.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
