"""A Responses and a Messages request with every field and every kind of item set."""

from __future__ import annotations

from typing import Any

PARAMETERS = {"type": "object", "properties": {"x": {"type": "string"}}}

RESPONSES: dict[str, Any] = {
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}], "name": "n"},
        {
            "type": "reasoning",
            "id": "r",
            "summary": [{"type": "summary_text", "text": "a"}],
            "content": [{"type": "reasoning_text", "text": "b"}],
            "encrypted_content": None,
        },
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
        },
        {
            "type": "function_call",
            "name": "f",
            "namespace": "n",
            "arguments": '{"x": 1}',
            "call_id": "c",
            "caller": {"type": "program", "caller_id": "p"},
        },
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "d"}],
        },
        {"type": "custom_tool_call", "name": "g", "input": "e", "call_id": "d"},
        {"type": "custom_tool_call_output", "call_id": "d", "output": "f"},
        {"role": "assistant", "content": [{"type": "input_text", "text": "g"}]},
        {"role": "developer", "content": "h", "tools": [{"type": "function"}]},
    ],
    "tools": [
        {"type": "function", "name": "f", "parameters": PARAMETERS, "strict": True},
        {"type": "custom", "name": "g", "format": {"type": "text"}},
        {
            "type": "namespace",
            "name": "n",
            "description": "",
            "tools": [{"type": "function", "name": "f", "parameters": PARAMETERS}],
        },
        {"type": "mcp", "server_label": "s"},
    ],
    "tool_choice": {"type": "function", "name": "f"},
    "text": {"format": {"type": "json_schema", "name": "n", "schema": PARAMETERS}},
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["message.output_text.logprobs"],
    "top_logprobs": 2,
    "max_output_tokens": 5,
    "truncation": "auto",
    "metadata": {"a": "b"},
    "logit_bias": {"5": 1},
    "stop": ["x"],
    "stop_token_ids": [3],
    "temperature": 0.5,
    "seed": 1,
    "background": True,
    "store": True,
    "stream": True,
    "prompt": None,
    "prompt_cache_options": {"mode": "implicit"},
    "previous_response_id": None,
    "previous_token_ids": [1, 2],
    "request_id": "r",
    "cache_salt": "s",
    "priority": 0,
    "vllm_xargs": {"a": 1},
    "kv_transfer_params": {"a": 1},
    "chat_template_kwargs": {"a": 1},
    "structured_outputs": None,
}

MESSAGES: dict[str, Any] = {
    "model": "demo",
    "max_tokens": 2000,
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "a", "signature": "s"},
                {"type": "text", "text": "b"},
                {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
                {"type": "tool_result", "content": [{"type": "text", "text": "c"}]},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "d"},
                {
                    "type": "tool_result",
                    "tool_use_id": "d",
                    "content": [
                        {"type": "text", "text": "e"},
                        {"type": "image", "source": {"type": "url", "url": ""}},
                        {"type": "tool_reference", "tool_name": "f"},
                    ],
                    "is_error": False,
                },
            ],
        },
        {
            "role": "system",
            "content": [
                {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
                {
                    "type": "tool_addition",
                    "tool": {
                        "type": "tool_definition",
                        "definition": {"name": "g", "input_schema": PARAMETERS},
                    },
                },
                {"type": "text", "text": "f"},
            ],
        },
        {"role": "user", "content": "g"},
    ],
    "tools": [{"name": "f", "input_schema": PARAMETERS, "strict": True}],
    "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": PARAMETERS}},
    "stop_sequences": ["x"],
    "metadata": {"a": 1},
    "stream": True,
    "temperature": 0.5,
    "top_k": 5,
    "top_p": 0.5,
    "cache_salt": "s",
    "previous_token_ids": [1, 2],
    "vllm_xargs": {"a": 1},
    "kv_transfer_params": {"a": 1},
    "chat_template_kwargs": {"a": 1},
}
