"""Record how oss-harmony writes tools: tests/golden/families/harmony_tools.json.

    python tests/record/harmony_tools.py        (oss-harmony 0.0.11, which vLLM 0.33.0 has)

Schemas are made at random, always the same; each is recorded with the section that it gives.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from openai_harmony import (
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    Role,
    ToolDescription,
    load_harmony_encoding,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "families" / "harmony_tools.json"
COUNT = 300
DEPTH = 3
NUMBERS = (0, -5, 2**53, 2**63, 2**64, 10**30, 1.0, 1e15, 1e16, 1.5e-5, -1.25e-5, 1e-4, 1e-6, 1e22)
TEXTS = ("x", "", "null", "a b", "é\n", '"q"', "\x01\x7f\u2028")
TYPES = ("string", "number", "integer", "boolean", "array", "object", "object", "null", "weird")
DESCRIPTIONS = ("", "d", "a\nb", "a\r\nb\n", "\n", "x\n\n")


class Schemas:
    """random: decides all."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def value(self, depth: int = 0) -> Any:
        kind = self.random.randrange(8)
        if kind == 0 and depth < DEPTH:
            return [self.value(depth + 1) for _ in range(self.random.randrange(3))]
        if kind == 1 and depth < DEPTH:
            return {"a": self.value(depth + 1), 'é"': self.value(depth + 1)}
        return self.random.choice((None, True, False, *NUMBERS, *TEXTS, *TEXTS))

    def schema(self, depth: int = 0) -> dict[str, Any]:
        likely = {
            "type": (0.85, self._type),
            "description": (0.4, lambda: self.random.choice(("D", "same", "two\nlines", "", 3))),
            "title": (0.3, lambda: self.random.choice(("T", "", None))),
            "default": (0.3, self.value),
            "enum": (0.25, lambda: self.random.choice((["a", "b"], [], [1], ["a", 1], "x"))),
            "nullable": (0.2, lambda: self.random.choice((True, False, "x"))),
            "examples": (0.2, lambda: self.random.choice(([], ["a", 1], [1], "z"))),
            "required": (0.4, lambda: self.random.choice(([], ["a0", "b1"], "x", [1]))),
        }
        if depth < DEPTH:
            likely |= {
                "oneOf": (0.2, lambda: self._variants(depth)),
                "properties": (0.6, lambda: self._properties(depth)),
                "items": (0.6, lambda: self.schema(depth + 1)),
            }
        names = list(likely)
        self.random.shuffle(names)
        return {name: likely[name][1]() for name in names if self.random.random() < likely[name][0]}

    def _type(self) -> Any:
        lists = (["string", "integer"], [], ["null"], [1, "a"])
        return self.random.choice((*TYPES, *TYPES, *lists, 5))

    def _variants(self, depth: int) -> Any:
        count = self.random.randrange(4)
        return [self.schema(depth + 1) for _ in range(count)] if count else "x"

    def _properties(self, depth: int) -> dict[str, Any]:
        names = [f"{self.random.choice('abé')}{i}" for i in range(self.random.randrange(4))]
        return {name: self.schema(depth + 1) for name in names}


def main() -> None:
    encoding = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
    random = Random(0)
    schemas = Schemas(random)
    recorded = []
    for number in range(COUNT):
        parameters = schemas.schema() if number else None
        description = random.choice(DESCRIPTIONS)
        tool = ToolDescription.new("f", description, parameters)
        content = DeveloperContent.new().with_function_tools([tool])
        message = Message.from_role_and_content(Role.DEVELOPER, content)
        text = encoding.decode(encoding.render(message))
        section = text.partition("# Tools\n\n")[2].removesuffix("<|end|>")
        recorded.append([description, parameters, section])
    GOLDEN.write_text(json.dumps(recorded) + "\n")


if __name__ == "__main__":
    main()
