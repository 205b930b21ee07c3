"""Poolside's models, which write GLM's calls."""

from __future__ import annotations

from . import Family
from .glm import ODD, call

FAMILY = Family(
    golden={
        "poolside_v1": ("poolside_v1", None),
        "poolside_v1@reasoning": (None, "poolside_v1"),
        "poolside_v1+poolside_v1": ("poolside_v1", "poolside_v1"),
    },
    call=call,
    added=("<assistant>",),
    odd=ODD,
    markup=("look<arg_key>", "text</arg_key><arg_value>", "</arg_value>", "run\n"),
    exact=False,
    extra=(
        *(
            {"name": f"{key} {flag}: {what}", "text": text, "request": {
                "chat_template_kwargs": {key: flag}}}
            for key in ("thinking",) for flag in (False, True)
            for what, text in {"text": "Yes.", "tags": "<think>a \n</think>\nb"}.items()
        ),
        *(
            {"name": f"prompt: {what}", "text": "Hm.</think>Yes.", "prompt": prompt,
             "request": {"chat_template_kwargs": {"thinking": True}}}
            for what, prompt in {
                "open": "<assistant><think>",
                "closed": "<assistant><think></think>",
                "closed before": "<assistant><think>a</think>b<assistant>",
            }.items()
        ),
    ),
)  # fmt: skip
