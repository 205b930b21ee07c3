"""Record how GLM's chat template decides about reasoning, into tests/golden/glm_templates.jsonl.

    RENDER_PEERS=FOLDER python tests/record/glm_templates.py

FOLDER is as for `parsers.py`. A line has a chat template, the arguments and vLLM's whole answer to
an output that ends reasoning.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEWER = (
    "[gMASK]<sop><|system|>Reasoning Effort: {{ reasoning_effort }}"
    "<tool_call>{{ name }}<arg_key>{{ key }}</arg_key><arg_value>{{ value }}</arg_value>"
)
TEMPLATES = [
    NEWER,
    NEWER + "{% if enable_thinking %}<think>{% endif %}",
    *(NEWER.replace(mark, "") for mark in ("<sop>", "Effort:", "<tool_call>", "<arg_value>")),
    "",
]


def main() -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.ERROR)
    from tests.parsers.families import FAMILIES
    from tests.record.vllm_parser import Oracle

    family = FAMILIES["glm"]
    model = Path(os.environ["RENDER_PEERS"]).expanduser() / "models" / family.model
    path = HERE.parent / "golden" / "glm_templates.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for name in ("glm45", "glm47", "ling3"):
            oracle = Oracle(model, None, name, list(family.added))
            for template in TEMPLATES:
                oracle.tokenizer.chat_template = template
                for kwargs in ({"enable_thinking": False}, {"thinking": False}, {}):
                    case = {"name": "", "text": "Hm.</think>Yes."}
                    answer = oracle.answer(case | {"request": {"chat_template_kwargs": kwargs}})
                    line = {"reasoning": name, "template": template, "kwargs": kwargs}
                    print(json.dumps(line | {"batch": answer["batch"]}), file=file)


main()
