"""Record what a real vLLM render server answers, into tests/golden/render/*.jsonl.

    python tests/record/render.py parsers|plain http://127.0.0.1:8100

The server runs on the Qwen3 tokenizer files (vLLM 0.33.0, `vllm launch render MODEL`) with

    parsers  --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3
    plain    the flags of PLAIN_FLAGS below

and `--served-model-name qwen3` (parsers) so that no folder name is recorded. Each line holds the
case, its request and the answer; the first line of a file holds the server's settings by the names
of `render_service.settings.Settings`. Message texts of schema errors are not kept: ours differ.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from render_corpus import CASES, PLAIN_CASES, Case

GOLDEN = Path(__file__).parent.parent / "golden" / "render"
PARSERS: dict[str, Any] = {
    "served_model_name": ["qwen3"],
    "enable_auto_tool_choice": True,
    "tool_call_parser": "hermes",
    "reasoning_parser": "qwen3",
}
PLAIN: dict[str, Any] = {
    "served_model_name": ["alpha", "beta"],
    "max_model_len": 256,
    "exclude_tools_when_tool_choice_none": True,
    "trust_request_chat_template": True,
    "default_chat_template_kwargs": {"enable_thinking": False},
    "override_generation_config": {"max_new_tokens": 50, "temperature": 0.5, "stop_token_ids": [8]},
    "reasoning_effort_map": {"low": "medium"},
}


def flags(settings: dict[str, Any]) -> list[str]:
    """The settings as flags of `vllm launch render`."""
    words: list[str] = []
    for name, value in settings.items():
        words.append("--" + name.replace("_", "-"))
        if isinstance(value, list):
            words += value
        elif value is not True:
            words.append(value if isinstance(value, str) else json.dumps(value))
    return words


def post(url: str, body: Any) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except json.JSONDecodeError:
            return error.code, text.decode(errors="replace")


def stable(answer: Any) -> Any:
    """Without what changes from run to run, and without schema dumps."""
    if isinstance(answer, list):
        return [stable(item) for item in answer]
    if isinstance(answer, dict) and "request_id" in answer:
        random = re.sub(r"[0-9a-f]{16,32}", "<id>", answer["request_id"])
        return {**answer, "request_id": random}
    if isinstance(answer, dict) and answer.get("error", {}).get("type") == "Bad Request":
        return {"error": {**answer["error"], "message": None}}
    return answer


def record(name: str, cases: list[Case], url: str, settings: dict[str, Any]) -> None:
    with (GOLDEN / f"{name}.jsonl").open("w") as out:
        out.write(json.dumps({"settings": settings}) + "\n")
        for case, path, body in cases:
            status, answer = post(url + path, body)
            sent = {"raw": body.decode("latin-1")} if isinstance(body, bytes) else {"body": body}
            line = {"case": case, "path": path, **sent, "status": status, "answer": stable(answer)}
            out.write(json.dumps(line) + "\n")


def main() -> None:
    if len(sys.argv) == 2 and sys.argv[1] in ("parsers", "plain"):
        print(*flags(PARSERS if sys.argv[1] == "parsers" else PLAIN), sep="\n")
        return
    kind, url = sys.argv[1:]
    settings = PARSERS if kind == "parsers" else PLAIN
    for name, cases in (CASES if kind == "parsers" else PLAIN_CASES).items():
        record(name, cases, url, settings)


if __name__ == "__main__":
    main()
