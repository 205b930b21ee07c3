r"""Record how `vllm serve --tokens-only` answers, so that our token engine can be held against it.

    vllm serve MODEL --served-model-name qwen3 --tokens-only --load-format dummy \
        --max-model-len 4096 --port 8100 &
    python tests/record/engine.py http://127.0.0.1:8100 --version 0.33.0 \
        > tests/golden/engine/vllm.json

Any Qwen3 will do: the framing, the key sets and the errors are compared, not the token IDs. An ID
outside the vocabulary is not sent, since it ends the engine: without a tokenizer nothing checks it.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
from typing import Any
from urllib.parse import urlsplit

PROMPT = [11, 12, 13, 14, 15]
LONG = 4  # tokens
EOS = "151645"  # of the model served: Qwen3's


def generate(sampling: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "token_ids": PROMPT,
        "sampling_params": {"temperature": 0, "max_tokens": LONG, "ignore_eos": True, **sampling},
        **fields,
    }


REQUESTS: dict[str, Any] = {
    "batch": generate({}, request_id="r1"),
    "batch_n2": generate({"n": 2, "temperature": 1.0, "seed": 1}, request_id="r2"),
    "batch_logprobs": generate({"logprobs": 2}, request_id="r3"),
    "batch_logprobs_0": generate({"logprobs": 0}),
    "batch_prompt_logprobs": generate({"prompt_logprobs": 1}),
    "batch_return_token_ids": generate({}, return_token_ids=True),
    "batch_output_tokens": generate({}, output_mode="tokens"),
    "batch_kv_transfer_params": generate({}, kv_transfer_params={"a": 1}),
    "batch_unknown_field": generate({}, surprise=1),
    "batch_greedy_stop": generate({"stop_token_ids": list(range(100_000))}),
    "batch_eos": generate({"logit_bias": {EOS: 100}, "ignore_eos": False}),
    "batch_eos_ignored": generate({"logit_bias": {EOS: 100}}),
    "stream_eos": generate({"logit_bias": {EOS: 100}, "ignore_eos": False}, stream=True),
    "stream": generate({}, request_id="r4", stream=True),
    "stream_usage": generate({}, stream=True, stream_options={"include_usage": True}),
    "stream_continuous_usage": generate(
        {}, stream=True, stream_options={"include_usage": True, "continuous_usage_stats": True}
    ),
    "stream_n2_logprobs": generate(
        {"n": 2, "temperature": 1.0, "seed": 1, "logprobs": 2},
        stream=True,
        stream_options={"include_usage": True},
    ),
    "stream_return_token_ids": generate({}, stream=True, return_token_ids=True),
    "stream_stop": generate({"stop_token_ids": list(range(100_000))}, stream=True),
    "error_no_token_ids": {"sampling_params": {}},
    "error_no_sampling_params": {"token_ids": PROMPT},
    "error_empty_token_ids": {"token_ids": [], "sampling_params": {}},
    "error_negative_token_id": {"token_ids": [-1], "sampling_params": {}},
    "error_token_ids_type": {"token_ids": "text", "sampling_params": {}},
    "error_prompt_too_long": {"token_ids": [11] * 5000, "sampling_params": {}},
    "error_stop_strings": generate({"stop": ["x"]}),
    "error_model": generate({}, model="other"),
    "error_max_tokens": generate({"max_tokens": 0}),
    "error_n": generate({"n": 0}),
    "error_n_greedy": generate({"n": 2}),
    "error_temperature": generate({"temperature": -1.0}),
    "error_logprobs": generate({"logprobs": 1000}),
    "error_output_mode": generate({}, output_mode="text"),
    "error_json": "{",
    "error_body_type": [],
    "default_max_tokens": {"token_ids": [11] * 4090, "sampling_params": {"ignore_eos": True}},
}


def ask(url: str, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
    data = None
    if body is not None:
        data = body if isinstance(body, str) else json.dumps(body)
        headers = {"Content-Type": "application/json", **headers}
    connection.request(method, path, data, headers)
    response = connection.getresponse()
    text = response.read().decode()
    kind = response.getheader("content-type") or ""
    answer: Any = json.loads(text) if kind.startswith("application/json") else text
    return {"status": response.status, "content_type": kind, "body": answer}


def record(url: str) -> dict[str, Any]:
    path = "/inference/v1/generate"
    answers = {name: ask(url, "POST", path, body) for name, body in REQUESTS.items()}
    answers["header_request_id"] = ask(
        url, "POST", path, REQUESTS["batch"], **{"X-Request-Id": "from-header"}
    )
    answers["error_content_type"] = ask(
        url, "POST", path, REQUESTS["batch"], **{"Content-Type": "text/plain"}
    )
    answers["error_method"] = ask(url, "GET", path)
    for probe in ("/health", "/v1/models", "/version"):
        answers[probe] = ask(url, "GET", probe)
    for card in answers["/v1/models"]["body"]["data"]:
        card["root"] = card["id"]  # a folder of the recording machine
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--version", required=True, help="vLLM's version, for the record")
    arguments = parser.parse_args()
    document = {"vllm": arguments.version, "answers": record(arguments.url)}
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
