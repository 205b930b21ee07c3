"""Make the demo model: a small model folder without weights, from text in scripts/demo_text/.

    python scripts/make_demo_model.py [FOLDER]        default: render_service/demo_model

The tokenizer is byte-level BPE, so that any text round-trips. The markers of a chat, of reasoning
and of tool calls are added tokens with the same flags as Qwen3's: turn markers are special (and
left out of decoded text), the markers that a parser reads are not. The configuration names a
tiny model, so that any server that reads model folders can load it. The chat template is written
by hand in that folder. The output is a function of the texts and the version of `tokenizers` alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

HERE = Path(__file__).parent
TEXTS = HERE / "demo_text"
FOLDER = HERE.parent / "render_service" / "demo_model"

LEARNED = 1500  # 256 bytes and the merges
MODEL_VOCAB = 1536  # padded, as real models are: IDs the model has and the tokenizer lacks
CONTEXT = 32768

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MARKERS = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
)


def train() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=LEARNED,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=2,
        show_progress=False,
    )
    lines: list[str] = []
    for path in sorted(TEXTS.glob("*.txt")):
        lines += path.read_text(encoding="utf-8").splitlines(keepends=True)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in MARKERS])
    return tokenizer


def configs(tokenizer: Tokenizer) -> dict[str, dict[str, Any]]:
    end, text_end = tokenizer.token_to_id("<|im_end|>"), tokenizer.token_to_id("<|endoftext|>")
    return {
        "config.json": {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "vocab_size": MODEL_VOCAB,
            "max_position_embeddings": CONTEXT,
            "bos_token_id": text_end,
            "eos_token_id": end,
            "hidden_act": "silu",
            "hidden_size": 128,
            "intermediate_size": 256,
            "num_attention_heads": 4,
            "num_hidden_layers": 2,
            "num_key_value_heads": 2,
            "head_dim": 64,
            "rms_norm_eps": 1e-06,
            "rope_theta": 1000000.0,
            "tie_word_embeddings": True,
            "torch_dtype": "bfloat16",
        },
        "generation_config.json": {
            "do_sample": True,
            "eos_token_id": [end, text_end],
            "pad_token_id": text_end,
            "temperature": 0.6,
            "top_k": 20,
            "top_p": 0.95,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": CONTEXT,
            "eos_token": "<|im_end|>",
            "pad_token": "<|endoftext|>",
            "clean_up_tokenization_spaces": False,
            "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
            "added_tokens_decoder": {
                str(number): {
                    "content": token.content,
                    "lstrip": token.lstrip,
                    "normalized": token.normalized,
                    "rstrip": token.rstrip,
                    "single_word": token.single_word,
                    "special": token.special,
                }
                for number, token in sorted(tokenizer.get_added_tokens_decoder().items())
            },
        },
    }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = train()
    files = {
        "tokenizer.json": tokenizer.to_str() + "\n",
        "chat_template.jinja": (FOLDER / "chat_template.jinja").read_text(encoding="utf-8"),
        **{n: json.dumps(c, indent=2) + "\n" for n, c in configs(tokenizer).items()},
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    size = sum(len(text.encode()) for text in files.values())
    print(f"{folder}: {tokenizer.get_vocab_size()} tokens, {size:,} bytes")


if __name__ == "__main__":
    main()
