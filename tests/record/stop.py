"""Record how vLLM's derenderer ends an output, into tests/golden/stop.json.

    python tests/record/stop.py      (Python with vLLM 0.33.0 installed)

`tokens`: IDs and stop reason with the stop token dropped. `strings`: where a text is cut.
`outputs`: text and stop reason of whole outputs of the demo model's tokenizer.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from transformers import AutoTokenizer
from vllm.entrypoints.scale_out.token_in_token_out.protocol import DerenderStreamState
from vllm.renderers.online_derenderer import OnlineDerenderer
from vllm.v1.engine.detokenizer import check_stop_strings

TESTS = Path(__file__).parent.parent
EOS = 7
MODEL_EOS = (7, 8)
TEXT = "the tea pot is hot, the tea is not \U0001f375 tea!"
STOP_LISTS = (["tea"], ["tea!", "hot, the", "\U0001f375"], ["nowhere", " is"], ["pot", "t"])


def rules(**fields: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "stop": [],
        "stop_token_ids": [],
        "include_stop_str_in_output": False,
        "ignore_eos": False,
        "min_tokens": 0,
    }
    return {**base, **fields}


def derenderer(eos: int | None, all_eos: tuple[int, ...]) -> Any:
    """As much of an OnlineDerenderer as its stop rules read."""
    self = SimpleNamespace(_eos_token_id=eos, _model_eos_token_ids=frozenset(all_eos))
    for name in ("_drop_stop_token", "_detokenize_delta", "_decode_output"):
        setattr(self, name, getattr(OnlineDerenderer, name).__get__(self))
    return self


def tokens() -> list[dict[str, Any]]:
    asked = [
        None,
        rules(),
        rules(ignore_eos=True),
        rules(stop_token_ids=[9, 7]),
        rules(stop_token_ids=[9], ignore_eos=True),
        rules(include_stop_str_in_output=True),
        rules(stop_token_ids=[9], include_stop_str_in_output=True),
    ]
    ends: list[tuple[str | None, Any]] = [
        ("stop", None), ("stop", 7), ("stop", 8), ("stop", 9), ("stop", "tea"),
        ("length", None), (None, None), ("tool_calls", 7),
    ]  # fmt: skip
    made = []
    for request, (reason, stop_reason), last in itertools.product(asked, ends, (5, 7, 8, 9)):
        ids, shown = derenderer(EOS, MODEL_EOS)._drop_stop_token(
            [5, last], reason, stop_reason, request and SimpleNamespace(**request)
        )
        made.append({"rules": request, "finish_reason": reason, "stop_reason": stop_reason,
                     "ids": [5, last], "answer": [ids, shown]})  # fmt: skip
    return made


def strings() -> list[dict[str, Any]]:
    return [
        {
            "new_chars": new,
            "stop": stop,
            "include": include,
            "answer": check_stop_strings(TEXT, new, stop, include),
        }
        for new, stop, include in itertools.product(
            (0, 1, 4, 12, len(TEXT)), (*STOP_LISTS, []), (False, True)
        )
    ]


def outputs() -> list[dict[str, Any]]:
    tokenizer = AutoTokenizer.from_pretrained(TESTS.parent / "render_service" / "demo_model")
    rng = random.Random("stop")
    eos = tokenizer.eos_token_id
    made = []
    for stop, include in itertools.product((*STOP_LISTS, []), (False, True)):
        for reason, ending in itertools.product((None, "tea", "is", eos), ([], [eos])):
            request = rules(
                stop=stop, include_stop_str_in_output=include, min_tokens=rng.choice([0, 2, 5])
            )
            finish = rng.choice(["stop", "stop", "stop", "length"])
            ids = [*tokenizer.encode(TEXT, add_special_tokens=False), *ending]
            text, shown = derenderer(eos, (eos,))._decode_output(
                tokenizer, ids, finish, reason, SimpleNamespace(**request),
                DerenderStreamState(), True, True,
            )  # fmt: skip
            made.append({"rules": request, "finish_reason": finish, "stop_reason": reason,
                         "ids": ids, "eos": eos, "answer": [text, shown]})  # fmt: skip
    return made


def main() -> None:
    golden = {
        "eos": EOS,
        "model_eos": MODEL_EOS,
        "text": TEXT,
        "tokens": tokens(),
        "strings": strings(),
        "outputs": outputs(),
    }
    with (TESTS / "golden" / "stop.json").open("w") as file:
        json.dump(golden, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
