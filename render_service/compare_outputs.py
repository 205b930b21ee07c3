"""Outputs as an engine would send them, whole and cut into chunks, in derender requests.

Rule: from one `Generated` come the whole request and, for any chunk size, the streams: one for each
choice of each response, every chunk a request that lacks only its `stream_state`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .corpus.case import Output

Json = dict[str, Any]

CHAT = "/v1/chat/completions/derender"
COMPLETION = "/v1/completions/derender"
_FINGERPRINT = re.compile(r"-rf[0-9a-f]{12}$")


class Generated(NamedTuple):
    """responses: whole outputs, for a chat one. prompts: token IDs by response, None if not known.

    rest: fields of the derender request that go as they are.
    """

    path: str
    request: Mapping[str, Any] | None
    responses: Sequence[Json]
    prompts: Sequence[list[int] | None]
    rest: Mapping[str, Any] = {}


def generated(
    path: str,
    request: Mapping[str, Any],
    rendered: Sequence[Json],
    outputs: Sequence[tuple[Output, list[int]]],
) -> Generated:
    """rendered: generate requests. outputs: with their token IDs: a chat's choices, or one a
    prompt."""
    prompts = [one["token_ids"] for one in rendered]
    groups = [outputs] if path == CHAT else [[output] for output in outputs]
    responses = [
        {
            "request_id": one["request_id"],
            "choices": [
                _choice(index, output, ids, request) for index, (output, ids) in enumerate(group)
            ],
            "prompt_token_ids": one["token_ids"],
        }
        for one, group in zip(rendered, groups, strict=False)
    ]
    return Generated(path, request, responses, prompts[: len(responses)])


def recorded(path: str, body: Mapping[str, Any]) -> Generated | None:
    """A whole derender request that was kept; None for a chunk, whose state is another server's.

    Which configuration rendered it is left out: both servers are to answer.
    """
    if body.get("stream"):
        return None
    single = path == CHAT
    responses = [body["generate_response"]] if single else list(body["generate_responses"])
    prompts = body.get("prompt_token_ids")
    fields = ("generate_response", "generate_responses", "prompt_token_ids", "prompt_tokens")
    name = _request_name(path)
    return Generated(
        path,
        body.get(name),
        [
            {**one, "request_id": _FINGERPRINT.sub("", one.get("request_id") or "")}
            for one in responses
        ],
        [prompts] if single else prompts or [None] * len(responses),
        {key: value for key, value in body.items() if key not in (*fields, name)},
    )


def whole(output: Generated) -> Json:
    """The request for the whole output."""
    prompts = list(output.prompts)
    counts = None if None in prompts else [len(prompt or ()) for prompt in prompts]
    body: Json = {**output.rest, _request_name(output.path): output.request}
    if output.path == CHAT:
        body |= {"generate_response": output.responses[0], "prompt_token_ids": prompts[0]}
        return body | {"prompt_tokens": counts and counts[0]}
    body |= {"generate_responses": list(output.responses), "prompt_token_ids": prompts}
    return body | {"prompt_tokens": counts}


def streams(output: Generated, size: int) -> Iterator[list[Json]]:
    """size: tokens in a chunk. The prompt's IDs go with every chunk, as vLLM wants them."""
    request = None if output.request is None else {**output.request, "stream": True}
    for response, prompt in zip(output.responses, output.prompts, strict=True):
        common = {**output.rest, "stream": True, _request_name(output.path): request}
        known = prompt or response.get("prompt_token_ids")
        common |= {"prompt_token_ids": known, "prompt_tokens": known and len(known)}
        for choice in response["choices"]:
            yield [
                {**common, "generate_chunk": {"request_id": response["request_id"], **chunk}}
                for chunk in _chunks(choice, size, _wants_usage(output.request), len(known or ()))
            ]


def _chunks(choice: Json, size: int, usage: bool, prompt: int) -> Iterator[Json]:
    ids = choice.get("token_ids") or []
    logprobs = (choice.get("logprobs") or {}).get("content")
    for at in range(0, max(len(ids), 1), size):
        part: Json = {"index": choice["index"], "token_ids": ids[at : at + size]}
        if logprobs:
            part["logprobs"] = {"content": logprobs[at : at + size]}
        if at + size >= len(ids):
            part |= {name: choice.get(name) for name in ("finish_reason", "stop_reason")}
        yield {"choices": [part]}
    if usage:
        total = prompt + len(ids)
        counts = {"prompt_tokens": prompt, "completion_tokens": len(ids), "total_tokens": total}
        yield {"choices": [], "usage": counts}


def _wants_usage(request: Mapping[str, Any] | None) -> bool:
    return bool(((request or {}).get("stream_options") or {}).get("include_usage"))


def _choice(index: int, output: Output, ids: list[int], request: Mapping[str, Any]) -> Json:
    choice: Json = {"index": index, "token_ids": ids, "finish_reason": output.finish}
    if output.stop is not None:
        choice["stop_reason"] = output.stop
    wanted = request.get("logprobs")
    if wanted is not None and wanted is not False:
        count = request.get("top_logprobs") or 0 if wanted is True else wanted
        choice["logprobs"] = {"content": [_logprob(token, count) for token in ids]}
    return choice


def _logprob(token: int, count: int) -> Json:
    """Some token's candidates: itself, and its neighbours in the vocabulary."""
    top = [
        {"token_id": abs(token - place), "logprob": -0.25 - place, "rank": place + 1}
        for place in range(count)
    ]
    return {"token_id": token, "logprob": -0.25, "rank": 1, "top_logprobs": top}


def _request_name(path: str) -> str:
    return "chat_request" if path == CHAT else "completion_request"
