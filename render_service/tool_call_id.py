"""Tool-call IDs: derived, so that a retried chunk or another replica gives the same ID."""

from __future__ import annotations

from hashlib import blake2b


def tool_call_id(request_id: str, choice: int, index: int) -> str:
    """vLLM's shape (`chatcmpl-tool-` and 16 hex digits) for call `index` of a choice."""
    name = f"{request_id}\0{choice}\0{index}".encode("utf-8", "surrogatepass")
    return f"chatcmpl-tool-{blake2b(name, digest_size=8).hexdigest()}"
