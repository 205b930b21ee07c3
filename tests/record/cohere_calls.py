"""Structural tags without what Cohere's calls may be: a grammar's text that xgrammar writes in
vLLM, the same as nodes here. With xgrammar 0.2 both take the same texts.
"""

from __future__ import annotations

import json
from typing import Any

BEGIN = "<|START_ACTION|>"


def without_calls(tag: dict[str, Any]) -> dict[str, Any]:
    """tag: changed, with null for the content of calls."""
    for part in tag.get("format", {}).get("tags", ()):
        if part["begin"] == BEGIN:
            part["content"] = None
    return tag


def without_calls_in(answer: Any) -> Any:
    """The generate request with such a tag."""
    params = answer.get("sampling_params") or {}
    outputs = params.get("structured_outputs") or {}
    text = outputs.get("structural_tag")
    if not text or BEGIN not in text:
        return answer
    outputs = {**outputs, "structural_tag": json.dumps(without_calls(json.loads(text)))}
    return {**answer, "sampling_params": {**params, "structured_outputs": outputs}}
