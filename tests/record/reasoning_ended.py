"""Record whether vLLM takes reasoning to have ended after prompts, by response template.

    RENDER_PEERS=FOLDER python tests/record/reasoning_ended.py

FOLDER as for `parsers.py`. Written to `golden/reasoning_ended.json`: for each family with a
template, prompts with what the request says of thinking, and vLLM's `is_reasoning_end`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "golden" / "reasoning_ended.json"


class Tokenizer:
    """Characters are tokens; all that vLLM's class asks of one."""

    def get_vocab(self) -> dict[str, int]:
        return {}

    def encode(self, text: str, **_: Any) -> list[int]:
        return [ord(char) for char in text]

    def decode(self, ids: list[int], **_: Any) -> str:
        return "".join(map(chr, ids))


def main() -> None:
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    from vllm.parser.response_template import ResponseTemplateReasoningParser

    from tests.parsers.families import FAMILIES

    recorded: dict[str, list[Any]] = {}
    for name, family in FAMILIES.items():
        template: Any = family.response_template
        if not template or not family.call:
            continue
        anchor = template.get("start_anchor", "<|im_start|>assistant\n")
        anchor = anchor if isinstance(anchor, str) else anchor[0]
        opens, closes = family.think
        call = family.call("run", {"a": 1})
        for end in dict.fromkeys((
            "", opens, opens[:-1], opens + "a", f"{opens}a{closes}", f"{opens}a{closes[:-1]}",
            f"{opens}a{closes}\n\n", f"{opens}\n\n{closes}b", "Hello", "\n", call,
            call[: len(call) // 2], f"{opens}a{closes}{call}", f"{opens}a{closes}{call[:-1]}",
            call + opens, "<",
        )):  # fmt: skip
            for before in ("", f"{anchor}{opens}x{closes}y"):
                prompt = f"{before}{anchor}{end}"
                for thinking in (True, False):
                    parser = ResponseTemplateReasoningParser(
                        Tokenizer(),
                        response_template=template,
                        chat_template_kwargs={"enable_thinking": thinking},
                    )
                    ended = parser.is_reasoning_end([ord(char) for char in prompt])
                    recorded.setdefault(name, []).append([prompt, thinking, ended])
    OUT.write_text(json.dumps(recorded, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(sum(map(len, recorded.values())), "prompts")


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main()
