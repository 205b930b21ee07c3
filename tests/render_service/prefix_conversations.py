"""Conversations, and templates that do to answers what templates do."""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from typing import Any

from render_service.loading import load_model
from render_service.model import Model
from render_service.prefix_cause import CAUSES
from render_service.prefix_check import Checked, check
from render_service.protocol.chat import decode_chat_request
from render_service.settings import Settings
from render_service.template_source import ChatTemplates, Source

Message = dict[str, Any]

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
ASK = {"role": "user", "content": "Where is the tea?"}
THANKS = {"role": "user", "content": "Thanks."}

# One turn after the other, as it is: nothing that a template may do to an answer.
HEADER = "<|im_start|>{{ m.role }}{{ '\n' }}"
OPENING = "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}"
CONTENT = "{{ m.content }}"


def body(text: str = CONTENT, end: str = "<|im_end|>", opening: str = OPENING) -> str:
    each = f"{HEADER}{text}{end}{{{{ '\n' }}}}"
    return f"{{% for m in messages %}}{each}{{% endfor %}}{opening}"


def newest(text: str, older: str = "") -> str:
    """For the newest answer one text, for older ones another."""
    newer = "loop.last and m.role == 'assistant'"
    return f"{{% if {newer} %}}{text}{{% else %}}{older}{{% endif %}}"


@lru_cache(maxsize=8)
def loaded(folder: str | None = None) -> Model:
    return load_model(Settings(model=folder))


def model(template: str | None = None, folder: str | None = None) -> Model:
    of = loaded(folder)
    if template is None:
        return of
    sources = {"default": Source(template, "test")}
    templates = ChatTemplates(sources, special_tokens=of.tokenizer.special_tokens_map)
    return dataclasses.replace(of, templates=templates)


def answer(content: str | None = "In the tin.", **fields: Any) -> Message:
    return {"role": "assistant", "content": content, **fields}


def call(arguments: str, name: str = "look") -> Message:
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": "call_1", "type": "function", "function": function}]}


RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "18"}


def checked(of: Model, *messages: Message, **fields: Any) -> list[Checked]:
    request = decode_chat_request(json.dumps({"messages": messages, **fields}).encode())
    return list(check(of, request))


def broken(turn: Checked) -> tuple[str, int]:
    assert turn.broken is not None
    assert turn.broken.cause in CAUSES
    assert turn.broken.position == turn.reusable
    return turn.broken.cause, turn.broken.message


CALLS = (
    "{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}'
    "</tool_call>{% endfor %}"
)
CALLS_ALONE = "{% if m.tool_calls %}" + CALLS.partition("}}")[2] + "{% else %}X{% endif %}"
TOOLS_LAST = "{% if tools and loop.last %}{{ tools | tojson }}{% endif %}"
SYSTEM_LAST = (
    "{% set s = messages | selectattr('role', 'equalto', 'system') | list %}"
    "{% for m in messages if m.role != 'system' %}"
    f"{HEADER}X{{% if s and loop.last %}}{{{{ s[0].content }}}}: {{% endif %}}{CONTENT}<|im_end|>"
    "{% endfor %}"
)
SYSTEM = {"role": "system", "content": "Be brief."}
LATER = {"role": "developer", "content": "Be brief."}
CHAT = [ASK, answer(), THANKS]
