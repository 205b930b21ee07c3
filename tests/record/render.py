"""Record what real vLLM render servers answer, into tests/golden/render/*.jsonl.

    python -m tests.record.render SERVER                          prints the server's flags
    python -m tests.record.render SERVER http://127.0.0.1:8100    records
    python -m tests.record.render SERVER http://127.0.0.1:8100 responses messages    only these

Requests are those of render_service/corpus, server_cases.py and door_cases.py.
SERVER is a name in SERVERS, run as `vllm launch render FOLDER FLAGS` (vLLM 0.33.0), FOLDER holding
the tokenizer files of its model. Each line of a golden file holds a case, its request and the
answer; the first line holds the model and the server's settings by the names of
`render_service.settings.Settings`. Messages of schema errors are not kept: ours differ.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from render_service.corpus import Case
from render_service.corpus.anthropic import message_cases
from render_service.corpus.chats import chat_cases
from render_service.corpus.responses import response_cases
from render_service.corpus.spellings import spelling_cases
from render_service.corpus.texts import completion_cases, raw_cases, tokenize_cases
from tests.record.door_cases import door_cases
from tests.record.server_cases import (
    coder_cases,
    filler_cases,
    grammar_cases,
    llama_cases,
    plain_cases,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "render"

SYSTEM_FIRST = (
    '{% for message in messages %}{% if message.role == "system" and not loop.first %}'
    '{{ raise_exception("The system message comes first.") }}{% endif %}'
    "[{{ message.role }}] {{ message.content }} {{ message.tool_calls | default([]) | tojson }} "
    "{% endfor %}{% if tools %}{{ tools | tojson }} {% endif %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


class Server(NamedTuple):
    """cases: by the name of the golden file."""

    model: str
    settings: dict[str, Any]
    cases: dict[str, list[Case]]


SERVERS = {
    "parsers": Server(
        "qwen3",
        {
            "served_model_name": ["qwen3"],
            "enable_auto_tool_choice": True,
            "tool_call_parser": "hermes",
            "reasoning_parser": "qwen3",
        },
        {
            "chat": chat_cases(),
            "completion": completion_cases(),
            "tokenize": tokenize_cases(),
            "raw": raw_cases(),
            "spellings": spelling_cases(),
            "grammar": grammar_cases(),
            "responses": response_cases(),
            "messages": message_cases(),
        },
    ),
    "plain": Server(
        "qwen3",
        {
            "served_model_name": ["alpha", "beta"],
            "max_model_len": 256,
            "exclude_tools_when_tool_choice_none": True,
            "trust_request_chat_template": True,
            "default_chat_template_kwargs": {"enable_thinking": False},
            "override_generation_config": {
                "max_new_tokens": 50,
                "temperature": 0.5,
                "stop_token_ids": [8],
            },
            "reasoning_effort_map": {"low": "medium"},
        },
        {"plain": plain_cases(), "plain_doors": door_cases("alpha")},
    ),
    "llama": Server(
        "llama31",
        {"served_model_name": ["llama31"]},
        {"llama": llama_cases(), "llama_doors": door_cases("llama31")},
    ),
    "coder": Server(
        "qwen3",
        {
            "served_model_name": ["qwen3"],
            "enable_auto_tool_choice": True,
            "tool_call_parser": "qwen3_coder",
            "reasoning_parser": "deepseek_r1",
        },
        {"coder": coder_cases()},
    ),
    "filler": Server(
        "deepseek_v3",
        {
            "served_model_name": ["deepseek"],
            "tokenizer_mode": "deepseek_v4",
            "anthropic_disabled_thinking_effort": "high",
        },
        {"filler": filler_cases(), "filler_doors": door_cases("deepseek")},
    ),
    "written": Server(
        "qwen3",
        {
            "served_model_name": ["qwen3"],
            "enable_auto_tool_choice": True,
            "tool_call_parser": "granite",
            "tool_strict_level": "parameter",
            "chat_template": SYSTEM_FIRST,
        },
        {"written_doors": door_cases("qwen3")},
    ),
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


def record(name: str, server: Server, url: str) -> None:
    with (GOLDEN / f"{name}.jsonl").open("w") as out:
        out.write(json.dumps({"model": server.model, "settings": server.settings}) + "\n")
        for case, path, body, *_ in server.cases[name]:
            status, answer = post(url + path, body)
            sent = {"raw": body.decode("latin-1")} if isinstance(body, bytes) else {"body": body}
            line = {"case": case, "path": path, **sent, "status": status, "answer": stable(answer)}
            out.write(json.dumps(line) + "\n")


def main() -> None:
    server = SERVERS[sys.argv[1]]
    if len(sys.argv) == 2:
        print(*flags(server.settings), sep="\n")
        return
    for name in sys.argv[3:] or server.cases:
        record(name, server, sys.argv[2])


if __name__ == "__main__":
    main()
