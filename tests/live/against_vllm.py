"""Compare this service with a running `vllm launch render` on a real engine, step by step.

    vllm launch render MODEL --port 8101 FLAGS              # the peer
    vllm serve MODEL --tokens-only --port 8102              # a token engine
    render-service serve MODEL --port 8103 FLAGS            # ours, with the same FLAGS
    python -m tests.live.against_vllm --vllm http://127.0.0.1:8101 \\
        --engine http://127.0.0.1:8102 --ours http://127.0.0.1:8103

For each request: both servers render, the engine answers vLLM's rendering (whole and as a
stream), both servers derender the same token IDs. Texts of tests/live/corpus.py are also
derendered as if the model had written them. Answers are equal apart from IDs and times, and
apart from what docs/differences.md lists: a parsed stream is compared joined, without white
space that stands alone beside a call, and schema errors by status, type and param.
Exit code 1 where anything else differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from .corpus import CHATS, COMPLETIONS, OUTPUTS

Json = dict[str, Any]

# Values that are a server's own: compared for being there, not for what they are.
OWN = {"id", "request_id", "created", "stream_state"}


@dataclass
class Tally:
    equal: dict[str, int] = field(default_factory=dict)
    differ: list[str] = field(default_factory=list)

    def check(self, step: str, name: str, theirs: Any, ours: Any) -> None:
        found = list(differences(theirs, ours))
        if not found:
            self.equal[step] = self.equal.get(step, 0) + 1
        for path, a, b in found:
            self.differ.append(f"{step} {name}: {path or '.'}: vLLM {a} ours {b}")


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Paths at which two answers differ, with both values shortened."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in theirs.keys() | ours.keys():
            if key in OWN and key in theirs and key in ours:
                continue
            missing = "(absent)"
            yield from differences(
                theirs.get(key, missing), ours.get(key, missing), f"{path}.{key}"
            )
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(a, b, f"{path}[{index}]")
    elif theirs != ours:
        yield path, shorten(theirs), shorten(ours)


def comparable(answer: tuple[int, Any]) -> list[Any]:
    """Status and JSON; without the words of a schema error, which are pydantic's in vLLM."""
    status, body = answer
    if status == 400 and body["error"]["type"] == "Bad Request":
        body = {"error": {**body["error"], "message": bool(body["error"]["message"])}}
    return [status, body]


def shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 160 else text[:160] + "…"


class Server:
    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=120)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        answer = self.client.post(path, json=body)
        return answer.status_code, answer.json()

    def events(self, path: str, body: Any) -> list[Json]:
        """The JSON events of a server-sent stream."""
        found = []
        with self.client.stream("POST", path, json=body) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: ") and line != "data: [DONE]":
                    found.append(json.loads(line[6:]))
        return found


def derender_stream(
    server: Server, path: str, chunks: list[Json], common: Json, *, every_chunk: Json
) -> list[Json]:
    """All answers to the chunks of one stream, with one state for each choice.

    `every_chunk` goes with each call, as vLLM asks; `common` is the request itself.
    """
    states: dict[int, Any] = {}
    answers = []
    for chunk in chunks:
        choice = chunk["choices"][0]["index"] if chunk["choices"] else 0
        body = {
            "stream": True,
            "generate_chunk": chunk,
            "stream_state": states.get(choice),
            **common,
            **every_chunk,
        }
        status, answer = server.post(path, body)
        if status != 200:
            return [*answers, {"status": status, **answer}]
        states[choice] = answer["stream_state"]
        answers.append(answer["chunk"])
    return answers


def joined(answers: list[Json]) -> Any:
    """What a client has at the end: per choice its text, reasoning, calls and reason."""
    choices: dict[int, Json] = {}
    usage = None
    for answer in answers:
        if "error" in answer:
            return answer
        usage = answer["usage"] or usage
        for choice in answer["choices"]:
            into = choices.setdefault(
                choice["index"],
                {"content": "", "reasoning": "", "calls": {}, "logprobs": [], "roles": 0},
            )
            delta = choice["delta"]
            into["content"] += delta["content"] or ""
            into["reasoning"] += delta["reasoning"] or ""
            into["roles"] += delta["role"] is not None
            for call in delta.get("tool_calls", []):
                part = into["calls"].setdefault(call["index"], {"name": "", "arguments": ""})
                part["name"] += call["function"]["name"] or ""
                part["arguments"] += call["function"]["arguments"] or ""
            into["logprobs"] += (choice["logprobs"] or {}).get("content") or []
            into["finish_reason"] = choice["finish_reason"]
            into["stop_reason"] = choice["stop_reason"]
    for choice in choices.values():
        if choice["calls"] and not choice["content"].strip():
            choice["content"] = ""
        for call in choice["calls"].values():
            call["arguments"] = canonical(call["arguments"])
    return {"choices": choices, "usage": usage}


def canonical(arguments: str) -> Any:
    """Arguments by value: vLLM streams some as the model spaced them."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def chat(peer: Server, engine: Server, ours: Server, tally: Tally, parsed: bool) -> None:
    path = "/v1/chat/completions"
    for name, request in CHATS.items():
        theirs, mine = (s.post(f"{path}/render", request) for s in (peer, ours))
        tally.check("chat render", name, comparable(theirs), comparable(mine))
        if theirs[0] != 200:
            continue
        generate = {**theirs[1], "stream": False, "stream_options": None}
        # A tokens-only engine has no tokenizer, and so refuses constrained output.
        generate["sampling_params"] = unconstrained(theirs[1]["sampling_params"])
        status, output = engine.post("/inference/v1/generate", generate)
        assert status == 200, output
        prompt = theirs[1]["token_ids"]
        # vLLM's parser reads the prompt of a whole output from the engine's answer alone.
        body = {
            "generate_response": {**output, "prompt_token_ids": prompt},
            "chat_request": request,
            "prompt_token_ids": prompt,
            "prompt_tokens": len(prompt),
        }
        a, b = (s.post(f"{path}/derender", body) for s in (peer, ours))
        tally.check("chat derender", name, list(a), list(b))
        generate |= {"stream": True, "stream_options": {"include_usage": True}}
        generate["sampling_params"] = {**generate["sampling_params"], "output_kind": 1}
        chunks = engine.events("/inference/v1/generate", generate)
        stream_of_chat(peer, ours, tally, name, request, prompt, chunks, parsed)


def outputs(peer: Server, ours: Server, tally: Tally, parsed: bool) -> None:
    """Texts as if the model had written them, cut into chunks of one and of five tokens."""
    for name, (request, text, finish) in OUTPUTS.items():
        path = "/v1/chat/completions"
        status, rendered = peer.post(f"{path}/render", request)
        if status != 200:  # tools without a parser
            continue
        prompt = rendered["token_ids"]
        tokens = {"prompt": text, "add_special_tokens": False}
        ids = peer.post("/tokenize", tokens)[1]["tokens"]
        choice = {"index": 0, "token_ids": ids, "finish_reason": finish}
        body = {
            "generate_response": {
                "request_id": "r",
                "choices": [choice],
                "prompt_token_ids": prompt,
            },
            "chat_request": request,
        }
        a, b = (s.post(f"{path}/derender", body) for s in (peer, ours))
        tally.check("output derender", name, list(a), list(b))
        for size in (1, 5):
            chunks = [
                {
                    "request_id": "r",
                    "choices": [
                        {
                            "index": 0,
                            "token_ids": ids[at : at + size],
                            "finish_reason": finish if at + size >= len(ids) else None,
                        }
                    ],
                }
                for at in range(0, len(ids), size)
            ]
            stream_of_chat(peer, ours, tally, f"{name}/{size}", request, prompt, chunks, parsed)


def unconstrained(parameters: Json) -> Json:
    return {k: v for k, v in parameters.items() if k != "structured_outputs"}


def stream_of_chat(
    peer: Server,
    ours: Server,
    tally: Tally,
    name: str,
    request: Json,
    prompt: list[int],
    chunks: list[Json],
    parsed: bool,
) -> None:
    common = {"chat_request": {**request, "stream": True}, "prompt_tokens": len(prompt)}
    path = "/v1/chat/completions/derender"
    full = {"prompt_token_ids": prompt}
    a = derender_stream(peer, path, chunks, common, every_chunk=full)
    b = derender_stream(ours, path, chunks, common, every_chunk=full)
    if not parsed:
        tally.check("chat stream, chunk by chunk", name, a, b)
    tally.check("chat stream, joined", name, joined(a), joined(b))


def completions(peer: Server, engine: Server, ours: Server, tally: Tally) -> None:
    path = "/v1/completions"
    for name, request in COMPLETIONS.items():
        theirs, mine = (s.post(f"{path}/render", request) for s in (peer, ours))
        tally.check("completion render", name, comparable(theirs), comparable(mine))
        if theirs[0] != 200:
            continue
        answers = [
            engine.post("/inference/v1/generate", {**one, "stream": False, "stream_options": None})
            for one in theirs[1]
        ]
        body = {
            "generate_responses": [answer for _, answer in answers],
            "completion_request": request,
            "prompt_token_ids": [one["token_ids"] for one in theirs[1]],
        }
        a, b = (s.post(f"{path}/derender", body) for s in (peer, ours))
        tally.check("completion derender", name, list(a), list(b))
        one = theirs[1][0]
        generate = {**one, "stream": True, "stream_options": {"include_usage": True}}
        generate["sampling_params"] = {**one["sampling_params"], "output_kind": 1}
        chunks = engine.events("/inference/v1/generate", generate)
        common = {"completion_request": {**request, "stream": True}}
        first = {"prompt_token_ids": one["token_ids"]}
        a, b = (
            derender_stream(s, f"{path}/derender", chunks, common, every_chunk=first)
            for s in (peer, ours)
        )
        tally.check("completion stream, chunk by chunk", name, a, b)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for server in ("vllm", "engine", "ours"):
        arguments.add_argument(f"--{server}", required=True, metavar="URL")
    arguments.add_argument("--no-parser", action="store_true", help="neither has a parser")
    options = arguments.parse_args()
    peer, engine, ours = (Server(getattr(options, s)) for s in ("vllm", "engine", "ours"))
    tally = Tally()
    chat(peer, engine, ours, tally, parsed=not options.no_parser)
    outputs(peer, ours, tally, parsed=not options.no_parser)
    completions(peer, engine, ours, tally)
    for step, count in tally.equal.items():
        print(f"{count:5d} equal  {step}")
    for line in tally.differ:
        print(line)
    print(f"{sum(tally.equal.values())} equal, {len(tally.differ)} differences")
    return 1 if tally.differ else 0


if __name__ == "__main__":
    sys.exit(main())
