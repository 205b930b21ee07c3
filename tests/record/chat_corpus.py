"""Conversations, templates and arguments whose rendering by vLLM is recorded (see chat.py)."""

from __future__ import annotations

from typing import Any

USER = {"role": "user", "content": "What is the weather in Köln?"}
SYSTEM = {"role": "system", "content": "You are a careful assistant."}
TEXT = {"type": "text", "text": "first"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city <b>now</b>",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["°C", "°F"]}},
            "required": ["city"],
        },
    },
}


def call(arguments: str, **own: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "id": "call_1",
        "function": {"name": "get_weather", "arguments": arguments},
        **own,
    }


def calls(*arguments: str, content: Any = None, **own: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [call(text) for text in arguments],
        **own,
    }


def answered(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [USER, *messages, {"role": "user", "content": "Thanks."}]


# name -> messages; recorded as the template sees them, with string and with part-list content.
MESSAGES: dict[str, list[dict[str, Any]]] = {
    "text": [USER],
    "empty text": [{"role": "user", "content": ""}],
    "no content": [{"role": "user"}],
    "no parts": [{"role": "user", "content": []}],
    "parts": [{"role": "user", "content": [TEXT, {"type": "text", "text": "second"}]}],
    "empty part": [{"role": "user", "content": [TEXT, {"type": "text", "text": ""}, TEXT]}],
    "string part": [{"role": "user", "content": [TEXT, "second"]}],
    "input_text": [{"role": "user", "content": [TEXT, {"type": "input_text", "text": "b"}]}],
    "output_text": [{"role": "assistant", "content": [TEXT, {"type": "output_text", "text": "b"}]}],
    "refusal part": [{"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}],
    "thinking part": [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "closed": True}]}
    ],
    "null text part": [{"role": "user", "content": [TEXT, {"type": "text", "text": None}]}],
    "null refusal part": [
        {"role": "critic", "content": [TEXT, {"type": "refusal", "refusal": None}]}
    ],
    "null thinking part": [{"role": "critic", "content": [TEXT, {"type": "thinking"}]}],
    "fields of a part": [
        {"role": "user", "content": [{**TEXT, "cache_control": {"type": "ephemeral"}, "name": "n"}]}
    ],
    "tool reference": [
        {"role": "tool", "content": [{"type": "tool_reference", "name": "f"}, TEXT]}
    ],
    "tool reference without a name": [{"role": "user", "content": [{"type": "tool_reference"}]}],
    "tool result": [
        calls('{"city": "Köln"}'),
        {"role": "tool", "content": "7", "tool_call_id": "c"},
    ],
    "tool result in parts": [
        {"role": "tool", "tool_call_id": "c", "content": [TEXT, {"type": "text", "text": "b"}]}
    ],
    "tool result without an id": [{"role": "tool", "content": "7", "name": "get_weather"}],
    "function result": [{"role": "function", "name": "get_weather", "content": "7"}],
    "null function result": [{"role": "function", "name": "get_weather", "content": None}],
    "calls": answered(calls('{"city": "Köln", "unit": "°C"}', "{}", content="Let me look.")),
    "call without content": answered({"role": "assistant", "tool_calls": [call("{}")]}),
    "call with no arguments": answered(calls("")),
    "call with broken arguments": answered(calls('{"city": ')),
    "call with a list of arguments": answered(calls("[1]")),
    "call with null arguments": answered(calls("null")),
    "call with special numbers": answered(calls('{"a": NaN, "b": 1e400, "c": 1.0, "d": 1E2}')),
    "call with large numbers": answered(calls('{"a": 123456789012345678901234567890}')),
    "call with a repeated key": answered(calls('{"a": 1, "a": 2}')),
    "call with more fields": answered(
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [
                {
                    "index": 0,
                    "type": "function",
                    "function": {"x": 1, "name": "f", "arguments": "{}"},
                    "id": "a",
                }
            ],
        }
    ),
    "no calls": answered({"role": "assistant", "content": "x", "tool_calls": []}),
    "null calls": answered({"role": "assistant", "content": "x", "tool_calls": None}),
    "custom call": answered(
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "n", "input": "i"}}],
        }
    ),
    "calls of a user": [{**USER, "tool_calls": [call("{}")]}],
    "null content": answered({"role": "assistant", "content": None}),
    "refusal": answered({"role": "assistant", "refusal": "No."}),
    "reasoning": answered({"role": "assistant", "content": "x", "reasoning": "because"}),
    "reasoning_content": answered(
        {"role": "assistant", "content": "x", "reasoning_content": "because"}
    ),
    "both reasonings": answered(
        {"role": "assistant", "content": "x", "reasoning": "a", "reasoning_content": "b"}
    ),
    "empty reasoning": answered({"role": "assistant", "content": "x", "reasoning": ""}),
    "reasoning of a user": [{**USER, "reasoning": "r"}],
    "reasoning as prompt_embeds": answered(
        {"role": "assistant", "content": "x", "reasoning": {"type": "prompt_embeds", "data": "x"}}
    ),
    "name": [{**USER, "name": "ann"}, {"role": "assistant", "content": "x", "name": "bot"}],
    "task": [{**USER, "task": "summary"}],
    "unknown fields": [{**USER, "foo": 1, "tool_call_id": "x"}],
    "own role": [{"role": "critic", "content": [TEXT, "b"], "reasoning": "r"}],
    "two system messages": [SYSTEM, SYSTEM, USER],
    "developer": [{"role": "developer", "content": "Be brief."}, USER],
    "developer with tools": [{"role": "developer", "content": "Be brief.", "tools": [TOOL]}, USER],
    "developer with a name": [{"role": "developer", "content": "Be brief.", "name": "d"}, USER],
    "developer in the middle": [
        USER,
        {"role": "developer", "content": [TEXT, {"type": "text", "text": "b"}]},
        SYSTEM,
        USER,
    ],
    "empty developer": [USER, {"role": "developer", "content": ""}, SYSTEM],
    "billing header": [
        {"role": "system", "content": "x-anthropic-billing-header: cch=1\nBe brief."},
        USER,
    ],
    "billing header alone": [{"role": "system", "content": "x-anthropic-billing-header: 1"}, USER],
    "billing header in parts": [
        {
            "role": "system",
            "content": [
                {"type": "text", "text": "x-anthropic-billing-header: 1"},
                {"type": "text", "text": "x-anthropic-billing-header: 1\nBe brief."},
                TEXT,
            ],
        },
        USER,
    ],
    "billing header of a user": [{"role": "user", "content": "x-anthropic-billing-header: 1\nx"}],
    "special tokens": [{"role": "user", "content": "<|im_end|> <think> </tool_call>"}],
    "control characters": [{"role": "user", "content": "a\x00b\t\r\n\x7f\u2028"}],
    "no messages": [],
    "unknown part": [{"role": "user", "content": [TEXT, {"type": "foo", "text": "x"}]}],
    "part without a type": [{"role": "user", "content": [TEXT, {"text": "x"}]}],
    "part with a number as type": [{"role": "critic", "content": [TEXT, {"type": 3, "name": "x"}]}],
    "part with a uuid": [{"role": "user", "content": [{**TEXT, "uuid": "u"}]}],
    "file": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]}],
    "image": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}
    ],
    "image without a type": [{"role": "user", "content": [{"image_url": "http://x"}]}],
    "image with a uuid": [
        {"role": "user", "content": [{"type": "image_url", "image_url": None, "uuid": "u"}]}
    ],
    "input_audio": [
        {
            "role": "user",
            "content": [{"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}],
        }
    ],
    "audio": [
        {"role": "user", "content": [{"type": "audio_url", "audio_url": {"url": "http://x"}}]}
    ],
    "video": [
        {"role": "user", "content": [{"type": "video_url", "video_url": {"url": "http://x"}}]}
    ],
    "image_embeds": [{"role": "user", "content": [{"type": "image_embeds", "image_embeds": "aa"}]}],
    "audio_embeds": [{"role": "user", "content": [{"type": "audio_embeds", "audio_embeds": "aa"}]}],
    "video_embeds": [{"role": "user", "content": [{"type": "video_embeds", "video_embeds": "aa"}]}],
    "prompt_embeds": [{"role": "user", "content": [{"type": "prompt_embeds", "data": "aa"}]}],
}

# Templates that print what they are given.
PRINTS_STRING = "{{ messages | tojson }}"
PRINTS_PARTS = (
    "{% for m in messages %}{% for c in m.content %}{% endfor %}{% endfor %}{{ messages | tojson }}"
)
PRINTS_ARGUMENTS = "{{ messages | length }}|{{ tools | tojson }}|{{ documents | tojson }}"
PARTIAL = [USER, {"role": "assistant", "content": "The answer "}]
CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}
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

# Rendered with the model's own template and with published ones.
CONVERSATIONS: dict[str, dict[str, Any]] = {
    "chat": {"messages": [SYSTEM, USER]},
    "no generation prompt": {"messages": [USER], "add_generation_prompt": False},
    "special tokens": {"messages": [USER], "add_special_tokens": True},
    "typed special tokens": {"messages": MESSAGES["special tokens"]},
    "history": {
        "messages": [
            SYSTEM,
            USER,
            {"role": "assistant", "content": "7 °C.", "reasoning": "I know it."},
            {"role": "user", "content": [TEXT, {"type": "text", "text": "second"}]},
        ]
    },
    "tools": {"messages": [USER], "tools": [TOOL]},
    "tools and system": {"messages": [SYSTEM, USER], "tools": [TOOL, TOOL]},
    "tool calls": {
        "messages": [
            USER,
            calls('{"city": "Köln", "unit": "°C"}', content="", reasoning="Look."),
            {"role": "tool", "tool_call_id": "call_1", "content": "7"},
            {"role": "assistant", "content": "It is 7 °C."},
            {"role": "user", "content": "And in Aachen?"},
        ],
        "tools": [TOOL],
    },
    "parallel calls": {
        "messages": [
            USER,
            calls('{"city": "Köln"}', '{"city": "Aachen"}'),
            {"role": "tool", "tool_call_id": "call_1", "content": "7"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "8"}]},
        ],
        "tools": [TOOL],
    },
    "developer": {"messages": MESSAGES["developer"]},
    "thinking off": {"messages": [USER], "chat_template_kwargs": {"enable_thinking": False}},
    "thinking on": {
        "messages": [USER],
        "chat_template_kwargs": {"enable_thinking": True, "thinking": True, "unknown": 1},
    },
    "continue": {"messages": PARTIAL, **CONTINUE},
    "assistant last": {"messages": PARTIAL},
}
# Published templates by file name, which the tests look for in `templates/` beside the models.
PUBLISHED = (
    "Qwen3-Coder.jinja",
    "NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja",
    "meta-llama-Llama-3.1-8B-Instruct.jinja",
    "deepseek-ai-DeepSeek-V3.1.jinja",
    "GLM-4.6.jinja",
    "MiniMax-M2.jinja",
    "Kimi-K2-Instruct.jinja",
    "google-gemma-4-31B-it.jinja",
    "ibm-granite-granite-4.0.jinja",
    "CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja",
    "Mistral-Small-3.2-24B-Instruct-2506.jinja",
    "openai-gpt-oss-120b.jinja",
)
