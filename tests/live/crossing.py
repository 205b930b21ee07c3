"""Cross between a running `vllm launch render` and this service, at every chunk, both ways.

    vllm launch render MODEL --port 8101 FLAGS
    render-service serve MODEL --port 8103 --stream-state-format vllm FLAGS   # the same FLAGS
    python -m tests.live.crossing --vllm http://127.0.0.1:8101 --ours http://127.0.0.1:8103 \\
        TOOL+REASONING completion            # or: plain completion, without parsers

Each stream is derendered by vLLM alone; then it changes over at each chunk, from vLLM to ours, from
ours to vLLM, and to the other server with every chunk. The joined answers are equal, but for words
behind a call that vLLM's stream leaves out (hermes). Exit code 1 where one differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from tests.record.crossing import MIXED, Server, cases_of, cut, logprobs_of
from tests.render_service.test_crossing import joined, without_last_words

Json = dict[str, Any]
Turn = Callable[[int], bool]


def chunks(case: Json, sizes: tuple[int, ...]) -> list[Json]:
    parts = list(cut(case["ids"], sizes))
    found = []
    for part in parts:
        last = part is parts[-1]
        choice = {"index": 0, "token_ids": part, "finish_reason": case["reason"] if last else None}
        if case["body"].get("logprobs"):
            choice["logprobs"] = logprobs_of(part)
        found.append({"request_id": "generate-tokens-live", "choices": [choice]})
    return found


def turns(length: int) -> Iterator[tuple[str, Turn]]:
    """Names of ways through the two servers, and whether a chunk goes to ours."""
    for at in range(1, length):
        yield f"to ours at {at}", at.__le__
        yield f"to vLLM at {at}", at.__gt__
    yield "alternating", lambda number: number % 2 == 0


def derendered(
    servers: tuple[Server, Server], path: str, case: Json, stream: list[Json], ours: Turn
) -> list[Json]:
    state, choices = None, []
    body = {key: value for key, value in case["body"].items() if key != "logprobs"}
    for number, chunk in enumerate(stream):
        whole = {**body, "stream": True, "generate_chunk": chunk, "stream_state": state}
        answer = servers[ours(number)].post(path, whole)
        state = answer["stream_state"]
        choices.append(answer["chunk"]["choices"][0])
    return choices


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--vllm", required=True)
    options.add_argument("--ours", required=True)
    options.add_argument("--every", type=int, default=1, help="only each N-th place")
    options.add_argument("names", nargs="+")
    asked = options.parse_args()
    servers = Server(asked.vllm), Server(asked.ours)
    equal = differ = 0
    for name in asked.names:
        path, cases = cases_of(servers[0], name)
        for case in cases:
            for plan, sizes in {"one": (1,), "mixed": MIXED}.items():
                stream = chunks(case, sizes)
                alone = derendered(servers, path, case, stream, lambda number: False)
                whole = joined(without_last_words(name, alone))
                for way, ours in list(turns(len(stream)))[:: asked.every]:
                    try:
                        made = joined(
                            without_last_words(name, derendered(servers, path, case, stream, ours))
                        )
                    except (SystemExit, httpx.HTTPError) as error:
                        made = {"error": str(error)}
                    equal += made == whole
                    if made != whole:
                        differ += 1
                        print(f"{name}: {case['name']} ({plan}) {way}:\n  {whole}\n  {made}")
    print(f"{equal} equal, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
