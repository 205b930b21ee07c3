"""Templates, arguments and conversations whose rendering by vLLM is recorded (see chat.py)."""

from __future__ import annotations

from typing import Any

from render_service.corpus.conversations import CONTINUE, PARTIAL
from render_service.corpus.messages import MESSAGES, TEXT, TOOL, USER

# Templates that print what they are given.
PRINTS_STRING = "{{ messages | tojson }}"
PRINTS_PARTS = (
    "{% for m in messages %}{% for c in m.content %}{% endfor %}{% endfor %}{{ messages | tojson }}"
)
PRINTS_ARGUMENTS = "{{ messages | length }}|{{ tools | tojson }}|{{ documents | tojson }}"
PRINTS_CONTENT = "{% for m in messages %}<{{ m['content'] }}>{% endfor %}"

# name -> fields of the request; `chat_template` is always among them.
TEMPLATES: dict[str, dict[str, Any]] = {
    "tools": {"chat_template": PRINTS_ARGUMENTS, "tools": [TOOL]},
    "no tools": {"chat_template": PRINTS_ARGUMENTS, "tools": []},
    "documents": {
        "chat_template": PRINTS_ARGUMENTS,
        "chat_template_kwargs": {"documents": [{"title": "a"}]},
    },
    "documents that are none": {
        "chat_template": PRINTS_ARGUMENTS,
        "chat_template_kwargs": {"documents": ["x"]},
    },
    "tools as an argument": {
        "chat_template": PRINTS_ARGUMENTS,
        "chat_template_kwargs": {"tools": [{"a": 1}]},
    },
    "tools that are none": {
        "chat_template": PRINTS_ARGUMENTS,
        "chat_template_kwargs": {"tools": ["a"]},
    },
    **{
        f"argument {name}": {
            "chat_template": PRINTS_ARGUMENTS,
            "chat_template_kwargs": {name: True},
        }
        for name in (
            *("conversation", "model_config", "tokenizer", "self", "messages", "chat_template"),
            *("tokenize", "return_dict", "return_assistant_tokens_mask", "padding", "unknown"),
            *("return_tensors", "tokenizer_kwargs", "add_generation_prompt"),
        )
    },
    "argument messages unused": {
        "chat_template": "x",
        "chat_template_kwargs": {"messages": [1]},
    },
    "special tokens": {
        "chat_template": "{{ bos_token is defined }}{{ eos_token }}{{ pad_token }}",
    },
    "special tokens replaced": {
        "chat_template": "{{ bos_token }}{{ eos_token }}",
        "chat_template_kwargs": {"bos_token": "B"},
    },
    "globals replaced": {
        "chat_template": "{{ strftime_now }}{{ raise_exception }}",
        "chat_template_kwargs": {"strftime_now": "a", "raise_exception": "b"},
    },
    "own globals not replaced": {
        "chat_template": "{{ range(2) | list }}",
        "chat_template_kwargs": {"range": 5},
    },
    "null argument": {
        "chat_template": "{{ a is defined }}",
        "chat_template_kwargs": {"a": None},
    },
    "argument auto": {
        "chat_template": "{{ a is defined }}",
        "chat_template_kwargs": {"a": "auto"},
    },
    "falsy arguments": {
        "chat_template": "{{ a }}{{ b }}{{ c }}",
        "chat_template_kwargs": {"a": 0, "b": False, "c": []},
    },
    "undefined": {"chat_template": "<{{ a }}>"},
    "attribute of undefined": {"chat_template": "{{ a.b }}"},
    "raise_exception": {"chat_template": "{{ raise_exception('No way: ' ~ messages|length) }}"},
    "raise_exception with a number": {"chat_template": "{{ raise_exception(3) }}"},
    "syntax error": {"chat_template": "{% if %}"},
    "open expression": {"chat_template": "{{ x"},
    "type error": {"chat_template": "{{ 'a' + 1 }}"},
    "null and text": {"chat_template": "{{ 'a' + none }}"},
    "division by zero": {"chat_template": "{{ 1 // 0 }}"},
    "unsafe attribute": {"chat_template": "{{ ''.__class__.__mro__ }}"},
    "mutation": {"chat_template": "{{ messages.append(1) }}"},
    "large range": {"chat_template": "{% for i in range(1000000000) %}{% endfor %}"},
    "include": {"chat_template": "{% include 'x' %}"},
    "unknown tag": {"chat_template": "{% do 1 %}"},
    "endless recursion": {"chat_template": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"},
    "missing element": {"chat_template": "{{ messages[5].content }}"},
    "generation": {
        "chat_template": "a{% generation %}b{% set z = 1 %}{% endgeneration %}{{ z is defined }}"
    },
    "loop controls": {
        "chat_template": "{% for i in [1, 2, 3] %}{% if i == 2 %}{% break %}{% endif %}{{ i }}"
        "{% endfor %}"
    },
    "tojson": {
        "chat_template": "{{ {'é': 1, 'a': '<b>'} | tojson }}"
        "{{ {'b': 1, 'a': 2} | tojson(indent=2, sort_keys=true) }}"
        "{{ [1, 2] | tojson(separators=(',', ':')) }}{{ 'é' | tojson(ensure_ascii=true) }}"
        "{{ [1, 2] | tojson(true) }}"
    },
    "tojson of undefined": {"chat_template": "{{ nope | tojson }}"},
    "white space": {"chat_template": "  {% if true %}\n x\n  {% endif %}\ny\n"},
    "no escaping": {"chat_template": "{{ '<a>&' }}"},
    "empty prompt": {"chat_template": "{# nothing #}"},
    "year": {"chat_template": "{{ strftime_now('%Y') | length }}"},
    "continue": {"chat_template": PRINTS_CONTENT, "messages": PARTIAL, **CONTINUE},
    "continue and trim": {
        "chat_template": "{% for m in messages %}<{{ m['content'] | trim }}>{% endfor %}",
        "messages": PARTIAL,
        **CONTINUE,
    },
    "continue and generate": {
        "chat_template": PRINTS_CONTENT,
        "messages": PARTIAL,
        "continue_final_message": True,
    },
    "continue what is not rendered": {
        "chat_template": "content",
        "messages": PARTIAL,
        **CONTINUE,
    },
    "continue without content": {"chat_template": "x", "messages": PARTIAL, **CONTINUE},
    "continue null content": {
        "chat_template": PRINTS_CONTENT,
        "messages": [USER, {"role": "assistant", "content": None}],
        **CONTINUE,
    },
    "continue parts": {
        "chat_template": "{% for m in messages %}{% for c in m['content'] %}{{ c.text }};"
        "{% endfor %}|{% endfor %}",
        "messages": [
            USER,
            {"role": "assistant", "content": [TEXT, {"type": "text", "text": "b "}]},
        ],
        **CONTINUE,
    },
    "continue no parts": {
        "chat_template": PRINTS_PARTS,
        "messages": [USER, {"role": "assistant", "content": []}],
        **CONTINUE,
    },
    "continue a user message": {
        "chat_template": PRINTS_CONTENT,
        "messages": [USER],
        **CONTINUE,
    },
    "continue as an argument": {
        "chat_template": PRINTS_CONTENT,
        "messages": PARTIAL,
        "chat_template_kwargs": {"continue_final_message": True},
    },
    "developer known": {
        "chat_template": PRINTS_STRING + "{# 'developer' #}",
        "messages": MESSAGES["developer with tools"],
    },
    "developer known without tools": {
        "chat_template": PRINTS_STRING + '{# "developer" #}',
        "messages": MESSAGES["developer"],
    },
}
