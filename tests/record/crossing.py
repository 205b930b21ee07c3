"""Record streams of vLLM's derenderer chunk by chunk, with the states between, for crossings.

    vllm launch render MODEL --port PORT [--enable-auto-tool-choice --tool-call-parser TOOL]
        [--reasoning-parser REASONING]
    python tests/record/crossing.py http://127.0.0.1:PORT MODEL NAME > golden/crossing/NAME.jsonl

Recorded with vLLM 0.33.0. MODEL: name of a fetched model (`qwen3`), whose folder is served. NAME
says what is recorded: `TOOL+REASONING` outputs of golden/parsers/ for these parsers, or `plain`
and `completion` texts, in chunks of one token and of changing length. The first line says what
was served; each other line is a stream: its body without chunks, then per chunk the token IDs,
what vLLM answered (`choices[0]`) and its state. Of the history in a state only its length is
kept: it is what came before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

PARSERS = Path(__file__).resolve().parent.parent / "golden" / "parsers"
MIXED = (1, 4, 2, 7, 3, 1, 1, 5)

# Outputs of golden/parsers that show where calls, text and white space meet.
CASES = (
    "no call",
    "one call",
    "call after a blank line",
    "content before",
    "two calls",
    "nested arguments",
    "no arguments",
    "escapes",
    "split emoji",
    "numbers",
    "literals",
    "html in a string",
    "compact",
    "code block",
    "unknown tool",
    "unknown parameter",
    "reasoning, content, call",
    "not parallel: two calls",
    "choice none: two calls",
    "no reasoning shown",
)
TEXTS = {
    "prose": " the quick brown fox, and 1 < 2.\n\nNext  line",
    "characters": "caf\u00e9 \u8336\u9053 \U0001f375\ufe0f \U0001f469\u200d\U0001f467 \u0939",
    "leading": "\u00e9t\u00e9 of \U0001d11e",
}
TOP = 2


class Server:
    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=120)

    def post(self, path: str, body: Any) -> Any:
        answer = self.client.post(path, json=body)
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.status_code} {answer.text}")
        return answer.json()

    def ids(self, text: str) -> list[int]:
        answer = self.post("/tokenize", {"prompt": text, "add_special_tokens": False})
        return list(answer["tokens"])


def cut(ids: list[int], sizes: tuple[int, ...]) -> Iterator[list[int]]:
    at, turn = 0, 0
    while at < len(ids):
        size = sizes[turn % len(sizes)]
        yield ids[at : at + size]
        at, turn = at + size, turn + 1


def logprobs_of(ids: list[int]) -> dict[str, Any]:
    """What an engine gives with its tokens; the numbers say nothing."""
    return {
        "content": [
            {
                "token": f"token_id:{i}",
                "token_id": i,
                "logprob": -0.5,
                "top_logprobs": [
                    {"token": f"token_id:{top}", "token_id": top, "logprob": -0.5 - top % 7}
                    for top in (i, i + 1)[:TOP]
                ],
            }
            for i in ids
        ]
    }


def stream(
    server: Server,
    path: str,
    body: dict[str, Any],
    ids: list[int],
    sizes: tuple[int, ...],
    reason: str,
) -> list[dict[str, Any]]:
    """Per chunk: token IDs, logprobs where wanted, vLLM's choice, and its state."""
    logprobs = body.pop("logprobs", False)
    state, steps = None, []
    parts = list(cut(ids, sizes))
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        choice = {"index": 0, "token_ids": part, "finish_reason": reason if last else None}
        if logprobs:
            choice["logprobs"] = logprobs_of(part)
        chunk = {"request_id": "generate-tokens-recorded", "choices": [choice]}
        whole = {**body, "stream": True, "generate_chunk": chunk, "stream_state": state}
        answer = server.post(path, whole)
        state = answer["stream_state"]
        kept = {**state, "output_token_ids": len(state["output_token_ids"])}
        kept["output_chunk_lens"] = len(state["output_chunk_lens"])
        step = {"ids": part, "answer": answer["chunk"]["choices"][0], "state": kept}
        steps.append(step | ({"logprobs": choice["logprobs"]} if logprobs else {}))
    return steps


def parsed(server: Server, name: str) -> Iterator[dict[str, Any]]:
    lines = (PARSERS / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    facts, *cases = map(json.loads, filter(None, lines))
    by_name = {case["name"]: case for case in cases}
    for wanted in CASES:
        case = by_name.get(wanted)
        if case is None:
            continue
        request = {"messages": [{"role": "user", "content": "hi"}], **case["request"]}
        if request.get("tools"):
            request["tools"] = facts["tools"]
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in case["pieces"])
        body = {"chat_request": request, "prompt_token_ids": case["prompt_ids"]}
        yield {
            "name": wanted,
            "body": body,
            "ids": server.ids(text),
            "reason": case["finish_reason"],
        }


def texts(server: Server, field: str) -> Iterator[dict[str, Any]]:
    own: dict[str, Any] = (
        {"messages": [{"role": "user", "content": "hi"}]}
        if field == "chat_request"
        else {"prompt": "hi"}
    )
    wants = (
        {"logprobs": True, "top_logprobs": TOP} if field == "chat_request" else {"logprobs": TOP}
    )
    for name, text in TEXTS.items():
        prompt = server.ids("Say:")
        ids = server.ids(text)
        kinds: dict[str, dict[str, Any]] = {
            "": {},
            ", logprobs": wants,
            ", all": {"skip_special_tokens": False},
        }
        for kind, more in kinds.items():
            body = {field: own | more, "prompt_token_ids": prompt, "logprobs": kind == ", logprobs"}
            yield {"name": name + kind, "body": body, "ids": ids, "reason": "length"}


def cases_of(server: Server, name: str) -> tuple[str, Iterator[dict[str, Any]]]:
    """The endpoint, and the streams."""
    if name.startswith("completion"):
        return "/v1/completions/derender", texts(server, "completion_request")
    if name.startswith("plain"):
        return "/v1/chat/completions/derender", texts(server, "chat_request")
    return "/v1/chat/completions/derender", parsed(server, name)


def main(url: str, model: str, name: str) -> None:
    server = Server(url)
    path, cases = cases_of(server, name)
    print(json.dumps({"model": model, "path": path, "parsers": name}))
    for case in cases:
        for plan, sizes in {"one": (1,), "mixed": MIXED}.items():
            body = dict(case["body"])
            steps = stream(server, path, body, case["ids"], sizes, case["reason"])
            line = {"name": f"{case['name']} ({plan})", "body": body, "reason": case["reason"]}
            print(json.dumps(line | {"steps": steps}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
