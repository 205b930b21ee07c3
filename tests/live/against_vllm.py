"""Compare this service with a running `vllm launch render` on the outputs of a real engine.

    vllm launch render MODEL --port 8101 FLAGS              # the peer
    vllm serve MODEL --tokens-only --port 8102              # a token engine
    render-service serve MODEL --port 8103 FLAGS            # ours, with the same FLAGS
    python -m tests.live.against_vllm http://127.0.0.1:8101 http://127.0.0.1:8102 \\
        http://127.0.0.1:8103 [more flags of `render-service compare`]

The engine answers what the peer rendered; its outputs, sampled, with logprobs and several choices,
are then compared as any recorded requests are. `render-service compare` without an engine has the
bundled requests.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx

from render_service import cli

Json = dict[str, Any]


def user(text: str, **fields: Any) -> Json:
    return {"messages": [{"role": "user", "content": text}], "max_tokens": 12, **fields}


CHATS: dict[str, Json] = {
    "seed": user("Hello!", seed=7, temperature=0.3, top_p=0.8, top_k=5, min_p=0.1),
    "two choices": user("Tell me more.", n=2, seed=1),
    "logprobs": user("Naïve café, 東京 🎉", logprobs=True, top_logprobs=3, seed=2),
    "logprobs, two choices": user("a", logprobs=True, top_logprobs=0, n=2, seed=3),
    "token IDs": user("Hi", return_token_ids=True, seed=4),
    "thinking off": user("Hi", chat_template_kwargs={"enable_thinking": False}, seed=6),
    "hidden": user("Hi", include_reasoning=False, logprobs=True, return_token_ids=True),
    "penalties": user("Hi", presence_penalty=0.5, frequency_penalty=0.2, repetition_penalty=1.1),
    "stop IDs": user("Hi", stop_token_ids=[13, 198], ignore_eos=True, min_tokens=2),
    "usage": user("Hi", stream=True, stream_options={"include_usage": True}),
}
COMPLETIONS: dict[str, Json] = {
    "plain": {"prompt": "Once upon a time", "max_tokens": 12, "seed": 1},
    "list": {"prompt": ["One", "Two"], "max_tokens": 4, "seed": 1},
    "token ID lists": {"prompt": [[785, 4937], [220]], "max_tokens": 4, "seed": 2},
    "logprobs": {"prompt": "Naïve café 東京", "max_tokens": 8, "logprobs": 2, "seed": 3},
    "choices": {"prompt": "abc", "max_tokens": 4, "n": 2, "seed": 4},
    "specials kept": {"prompt": "abc", "max_tokens": 4, "skip_special_tokens": False},
}


def posted(url: str, path: str, body: Json) -> Any:
    answer = httpx.post(url + path, json=body, timeout=120)
    assert answer.status_code == 200, answer.text
    return answer.json()


def answered(engine: str, generate: Json) -> Json:
    """The engine's whole output. It has no tokenizer, and so refuses constrained output."""
    parameters = {k: v for k, v in generate["sampling_params"].items() if k != "structured_outputs"}
    body = {**generate, "sampling_params": parameters, "stream": False, "stream_options": None}
    output: Json = posted(engine, "/inference/v1/generate", body)
    # vLLM's parser reads the prompt of a whole output from the engine's answer alone.
    return {**output, "prompt_token_ids": generate["token_ids"]}


def recorded(peer: str, engine: str) -> list[Json]:
    """Derender requests for the outputs of a real engine, in the form that `compare` reads."""
    found = []
    for name, request in CHATS.items():
        output = answered(engine, posted(peer, "/v1/chat/completions/render", request))
        prompt = output["prompt_token_ids"]
        body = {"generate_response": output, "chat_request": request, "prompt_token_ids": prompt}
        found.append({"custom_id": name, "url": "/v1/chat/completions/derender", "body": body})
    for name, request in COMPLETIONS.items():
        outputs = [answered(engine, one) for one in posted(peer, "/v1/completions/render", request)]
        body = {
            "generate_responses": outputs,
            "completion_request": request,
            "prompt_token_ids": [output["prompt_token_ids"] for output in outputs],
        }
        found.append({"custom_id": name, "url": "/v1/completions/derender", "body": body})
    return found


def main() -> int:
    peer, engine, ours, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder, "outputs.jsonl")
        requests.write_text("\n".join(map(json.dumps, recorded(peer, engine))), encoding="utf-8")
        return cli.main(["compare", peer, ours, "--requests", str(requests), *flags])


if __name__ == "__main__":
    sys.exit(main())
