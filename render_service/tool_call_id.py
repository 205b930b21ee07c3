"""Tool-call IDs: the model's own, or derived, so that a retry or another replica gives the same."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

# Models whose calls are numbered through the conversation (vLLM's `get_tool_call_id_type`).
NUMBERING = frozenset(("kimi_k2", "kimi_k25", "kimi_k3"))


def numbers_calls(config: Mapping[str, Any]) -> bool:
    """Whether a model numbers its calls; config: its config.json."""
    inner = config.get("text_config")
    types = (config.get("model_type"), inner.get("model_type") if isinstance(inner, dict) else None)
    return any(isinstance(one, str) and one in NUMBERING for one in types)


def tool_call_id(
    request_id: str,
    choice: int,
    index: int,
    name: str,
    *,
    written: str = "",
    numbered_from: int | None = None,
) -> str:
    """The ID of call `index` of a choice.

    written: what the model wrote as the ID, "" for nothing. numbered_from: for a model that
    numbers its calls, how many the conversation had before. Else vLLM's shape, `chatcmpl-tool-`
    and 16 hex digits.
    """
    if written:
        return written
    if numbered_from is not None:
        return f"functions.{name}:{numbered_from + index}"
    own = f"{request_id}\0{choice}\0{index}".encode("utf-8", "surrogatepass")
    return f"chatcmpl-tool-{blake2b(own, digest_size=8).hexdigest()}"
