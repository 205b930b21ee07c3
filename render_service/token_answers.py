"""Bodies of `POST /inference/v1/generate` for a scripted engine, as `vllm serve --tokens-only`.

Fields, their order and the refusals are vLLM 0.33.0's (`scale_out/token_in_token_out`), held
against a recording in tests/golden/engine/. Like that server this one knows no tokenizer: stop
strings are refused, and a stop at the model's end token names that token as its `stop_reason`.
Log probabilities are made up, but as consistent as a model's: ranks, order, k or k + 1 candidates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

import msgspec
import orjson

from .errors import RequestError, model_not_found, schema_error
from .token_script import ScriptError, TokenScript

MAX_CHOICES = 256  # vLLM's default max_num_seqs
MAX_LOGPROBS = 20


class SamplingParams(msgspec.Struct):
    """The parameters that a script can honour; vLLM's defaults."""

    n: int = 1
    temperature: float = 1.0
    max_tokens: int | None = None  # absent: up to the model's length
    min_tokens: int = 0
    ignore_eos: bool = False
    stop: list[str] | str | None = None
    stop_token_ids: list[int] | None = None
    logprobs: int | None = None
    prompt_logprobs: int | None = None
    extra_args: dict[str, Any] | None = None


class StreamOptions(msgspec.Struct):
    include_usage: bool | None = False
    continuous_usage_stats: bool | None = False


class GenerateRequest(msgspec.Struct):
    token_ids: list[int]
    sampling_params: SamplingParams
    request_id: str | None = None
    model: str | None = None
    return_token_ids: bool | None = None
    output_mode: Literal["tokens", "text", "derender"] = "tokens"
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    kv_transfer_params: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One output sequence, cut where the engine would stop."""

    index: int
    token_ids: list[int]
    finish_reason: str
    stop_reason: int | None


class TokenAnswers:
    """script: what it says. name: the served model."""

    def __init__(self, script: TokenScript, name: str) -> None:
        self.script = script
        self.name = name
        self._decoder = msgspec.json.Decoder(GenerateRequest, strict=False)

    def check(self, raw: bytes) -> GenerateRequest:
        """Decode and validate. Raises RequestError, in vLLM's words."""
        try:
            request = self._decoder.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            raise schema_error(f"1 validation error:\n  {error}", "body") from None
        params, ids = request.sampling_params, request.token_ids
        if not ids:
            raise schema_error("token_ids: List should have at least 1 item", "body.token_ids")
        if min(ids) < 0:
            raise schema_error("token_ids must not contain negative values", "body.token_ids")
        if request.model is not None and request.model != self.name:
            raise model_not_found(request.model, (self.name,))
        check_sampling(params)
        if request.output_mode != "tokens":
            raise RequestError(
                f"output_mode={request.output_mode!r} requires a tokenizer, but this server does "
                "not load one. Use output_mode='tokens'."
            )
        if len(ids) >= self.script.max_model_len:
            raise RequestError(
                f"Input length ({len(ids)}) exceeds model's maximum context length "
                f"({self.script.max_model_len})."
            )
        if max(ids) >= self.script.vocab_size:
            raise RequestError(f"Token id {max(ids)} is out of vocabulary", param="token_ids")
        return request

    def choices(self, request: GenerateRequest) -> tuple[list[Choice], Sequence[int]]:
        """The outputs of a checked request, and the sizes of their chunks. Raises RequestError."""
        params = request.sampling_params
        try:
            said, chunks = self.script.say(request.token_ids, params.extra_args or {}, params.n)
        except ScriptError as error:
            raise RequestError(str(error), param="extra_args") from None
        room = self.script.max_model_len - len(request.token_ids)
        limit = min(params.max_tokens or room, room)
        stops = {*(params.stop_token_ids or ()), *(() if params.ignore_eos else self.script.ends)}
        return [
            cut(index, ids, stops, limit, params.min_tokens) for index, ids in enumerate(said)
        ], chunks

    def whole(self, request: GenerateRequest, request_id: str) -> bytes:
        """The answer to a request that does not stream."""
        choices, _ = self.choices(request)
        params = request.sampling_params
        produced = sum(len(choice.token_ids) for choice in choices)
        return orjson.dumps(
            {
                "request_id": request_id,
                "model": self.name,
                "created": int(time.time()),
                "usage": usage(request, produced),
                "prompt_logprobs": self._prompt_logprobs(request),
                "prompt_token_id_logprobs": None,
                "prompt_token_ids": request.token_ids if request.return_token_ids else None,
                "mm_placeholders": None,
                "metrics": None,
                "kv_transfer_params": request.kv_transfer_params,
                "ec_transfer_params": None,
                "output_mode": "tokens",
                "choices": [self._fields(c, 0, len(c.token_ids), params.logprobs) for c in choices],
            }
        )

    def chunks(self, request: GenerateRequest, request_id: str) -> Iterator[bytes]:
        """The bodies of the events of a stream: one choice an event, the choices in turn."""
        choices, sizes = self.choices(request)  # refused before the first event, or not at all
        return self._chunks(request, request_id, choices, sizes)

    def _chunks(
        self, request: GenerateRequest, request_id: str, choices: list[Choice], sizes: Sequence[int]
    ) -> Iterator[bytes]:
        options = request.stream_options or StreamOptions()
        logprobs = request.sampling_params.logprobs
        prompt = {"prompt_token_ids": request.token_ids} if request.return_token_ids else {}
        sent, longest = 0, max(len(choice.token_ids) for choice in choices)
        for size in cycle(sizes):
            for choice in choices:
                stop = min(len(choice.token_ids), sent + size)
                if stop <= sent:
                    continue
                counted = options.include_usage and options.continuous_usage_stats
                body = {
                    "request_id": request_id,
                    "usage": usage(request, stop) if counted else None,
                    **prompt,
                    "output_mode": "tokens",
                    "choices": [self._fields(choice, sent, stop, logprobs)],
                }
                prompt = {}  # on the first event alone
                yield orjson.dumps(body)
            sent += size
            if sent >= longest:
                break
        if options.include_usage:
            total = usage(request, sum(len(choice.token_ids) for choice in choices))
            counts = {name: count for name, count in total.items() if count is not None}
            yield orjson.dumps(
                {"request_id": request_id, "usage": counts, "output_mode": "tokens", "choices": []}
            )

    def _fields(
        self, choice: Choice, start: int, stop: int, logprobs: int | None
    ) -> dict[str, Any]:
        """Tokens `start` to `stop` of a choice; the reasons and the weights come with the last."""
        ids, last = choice.token_ids[start:stop], stop == len(choice.token_ids)
        span = {"version": "default", "start": 0, "end": stop}
        return {
            "index": choice.index,
            "finish_reason": choice.finish_reason if last else None,
            "stop_reason": choice.stop_reason if last else None,
            "token_ids": ids,
            "routed_experts": None,
            "sampling_mask": None,
            "weight_versions": [span] if last else None,
            "logprobs": None
            if logprobs is None
            else {"content": [self._logprob(t, start + i, logprobs) for i, t in enumerate(ids)]},
        }

    def _logprob(self, token: int, position: int, count: int) -> dict[str, Any]:
        """Made-up candidates: the sampled token is in the top k except at every fifth position."""
        rank = count + 2 if position % 5 == 4 else 1 + position % max(1, min(count, 3))
        sampled = {"token_id": token, "logprob": -0.25 * rank, "rank": rank}
        others = [
            {
                "token_id": (token + 7 * place) % self.script.vocab_size,
                "logprob": -0.25 * place,
                "rank": place,
            }
            for place in range(1, count + 1)
            if place != rank
        ]
        return {**sampled, "top_logprobs": [sampled, *others]}

    def _prompt_logprobs(self, request: GenerateRequest) -> list[Any] | None:
        """By prompt position: the token and made-up candidates, by token ID; null for the first."""
        count = request.sampling_params.prompt_logprobs
        if count is None:
            return None
        positions = enumerate(request.token_ids[1:])
        return [None] + [
            {
                str(entry["token_id"]): {
                    "logprob": entry["logprob"],
                    "rank": entry["rank"],
                    "decoded_token": None,
                }
                for entry in self._logprob(token, position, count)["top_logprobs"]
            }
            for position, token in positions
        ]


def check_sampling(params: SamplingParams) -> None:
    """The refusals that a client meets, in vLLM's words. Raises RequestError."""
    n, most = params.n, params.max_tokens
    if n < 1:
        raise RequestError(f"n must be at least 1, got {n}.")
    if n > MAX_CHOICES:
        raise RequestError(
            f"sampling_params.n must be at most the server's max_num_seqs ({MAX_CHOICES}), got {n}."
        )
    if not 0 <= params.temperature <= 2:
        raise refused("temperature", "must be in [0, 2]", params.temperature)
    if params.temperature == 0 and n > 1:
        raise RequestError(f"n must be 1 when using greedy sampling, got {n}.")
    if most is not None and most < 1:
        raise refused("max_tokens", "must be at least 1", most)
    for name, count in (("logprobs", params.logprobs), ("prompt_logprobs", params.prompt_logprobs)):
        if count is not None and count < 0:
            raise refused(name, "must be non-negative", count)
        if count is not None and count > MAX_LOGPROBS:
            raise RequestError(
                f"Requested sample {name} of {count}, which is greater than max allowed: "
                f"{MAX_LOGPROBS} (parameter={name}, value={count})",
                param=name,
            )
    if params.stop:
        raise RequestError(
            "stop strings are not supported on a --tokens-only server because detokenization is "
            "disabled. Check stop strings on the coordinator, or use stop_token_ids."
        )


def refused(name: str, rule: str, value: object) -> RequestError:
    return RequestError(
        f"{name} {rule}, got {value}. (parameter={name}, value={value})", param=name
    )


def cut(index: int, ids: Sequence[int], stops: set[int], limit: int, at_least: int) -> Choice:
    """Where the engine stops: at a stop token (kept), at the limit, or at the script's end."""
    for at, token in enumerate(ids[:limit], start=1):
        if token in stops and at >= at_least:
            return Choice(index, list(ids[:at]), "stop", token)
    return Choice(index, list(ids[:limit]), "length", None)


def usage(request: GenerateRequest, produced: int) -> dict[str, Any]:
    prompt = len(request.token_ids)
    return {
        "prompt_tokens": prompt,
        "total_tokens": prompt + produced,
        "completion_tokens": produced,
        "prompt_tokens_details": None,
        "completion_tokens_details": None,
    }
