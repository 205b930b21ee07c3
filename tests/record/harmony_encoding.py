"""The vocabulary that `openai_harmony` wants, made from a tokenizer instead of downloaded.

It is the file `o200k_base.tiktoken`: each token's bytes in base64, and its rank; the package
checks its digest.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from pathlib import Path


def prepare(model: Path) -> None:
    """Point the package to a file made of the model's tokenizer, unless told where one is."""
    if "TIKTOKEN_ENCODINGS_BASE" in os.environ:
        return
    spec = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))
    added = {token["id"] for token in spec["added_tokens"]}
    ranks = sorted((rank, token) for token, rank in spec["model"]["vocab"].items())
    byte_of = _byte_level()
    folder = Path(tempfile.mkdtemp(prefix="harmony-"))
    with (folder / "o200k_base.tiktoken").open("wb") as file:
        for rank, token in ranks:
            if rank not in added:
                file.write(base64.b64encode(bytes(byte_of[char] for char in token)))
                file.write(f" {rank}\n".encode())
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(folder)


def _byte_level() -> dict[str, int]:
    """The byte that each character stands for in a byte-level vocabulary."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    found = {chr(byte): byte for byte in shown}
    return found | {chr(256 + n): byte for n, byte in enumerate(hidden)}
