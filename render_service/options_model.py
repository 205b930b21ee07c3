"""The flags about the model, its chat template, its parsers, and the replicas that serve it."""

from __future__ import annotations

from .option_types import (
    JSON,
    SIZE_OR_NONE,
    SWITCH,
    TEXT,
    TEXTS,
    Group,
    Kind,
    Option,
    number,
    one_of,
    optional,
    size_or_auto,
)
from .tokenizer_mode import MODES

MODEL_GROUPS: tuple[Group, ...] = (
    (
        "model",
        (
            Option(
                "tokenizer",
                TEXT,
                "Folder or hub ID of the tokenizer, where it is not the model's.",
            ),
            Option(
                "tokenizer_mode",
                one_of("auto", *MODES),
                "Whose form chats are rendered in: `hf` by the chat template; `auto` by what the "
                "model's files say. Models of type gpt_oss are rendered as Harmony.",
            ),
            Option(
                "tokenizer_backend",
                one_of("auto", "tokenizers", "fastokens"),
                "Library that turns text into token IDs: `auto` starts on tokenizers and goes on "
                "with fastokens, about ten times faster, where its IDs are the same; `fastokens` "
                "insists on it (ours).",
            ),
            Option("revision", TEXT, "Branch, tag or commit on the hub."),
            Option(
                "trust_remote_code",
                SWITCH,
                "Allow tokenizers that need code from the model's repository.",
            ),
            Option(
                "served_model_name",
                TEXTS,
                "Names clients may use, the first in answers. Default: MODEL.",
            ),
            Option(
                "max_model_len",
                Kind("one", size_or_auto, "SIZE"),
                "Longest prompt and output in tokens; 1k is 1,000, 1K is 1,024. "
                "Default: from the model's configuration.",
            ),
            Option("max_logprobs", number(-1), "Most logprobs a token; -1: no limit."),
            Option(
                "generation_config",
                TEXT,
                "`auto`: sampling defaults from the model's folder; `vllm`: none; or a folder.",
            ),
            Option(
                "override_generation_config",
                JSON,
                'Sampling defaults that win over the model\'s, as {"temperature": 0.5}.',
            ),
        ),
    ),
    (
        "chat template",
        (
            Option("chat_template", TEXT, "File, or the template itself. Default: the model's."),
            Option(
                "chat_template_content_format",
                one_of("auto", "openai", "string"),
                "How the template sees message content: as text, or as OpenAI's list of parts.",
            ),
            Option(
                "default_chat_template_kwargs",
                JSON,
                'Template variables unless a request sets them, as {"enable_thinking": false}.',
            ),
            Option(
                "trust_request_chat_template",
                SWITCH,
                "Allow requests to bring their own template (run in a sandbox).",
            ),
            Option(
                "reasoning_effort_map",
                JSON,
                'Replaces reasoning efforts for the template, as {"medium": "low"}.',
            ),
            Option(
                "anthropic_disabled_thinking_effort",
                one_of("auto", "none", "low", "medium", "high", "xhigh", "max"),
                "Reasoning effort of Messages requests that disable thinking; `auto` is `none`, "
                "or `low` where the template makes no difference.",
            ),
        ),
    ),
    (
        "parsing",
        (
            Option(
                "reasoning_parser",
                TEXT,
                "Format of the model's reasoning; `render-service parsers` lists the names.",
            ),
            Option(
                "tool_call_parser",
                TEXT,
                "Format of the model's tool calls; `render-service parsers` lists the names.",
            ),
            Option(
                "enable_auto_tool_choice",
                SWITCH,
                'Parse tool calls for tool_choice "auto"; needs --tool-call-parser.',
            ),
            Option(
                "exclude_tools_when_tool_choice_none",
                SWITCH,
                'Keep tools out of the prompt for tool_choice "none".',
            ),
            Option(
                "tool_strict_level",
                Kind(
                    "one",
                    optional(one_of("auto", "function", "parameter").read),
                    "{auto,function,parameter}",
                ),
                "Least strictness of the structural tags for tool calls.",
            ),
            Option(
                "parser_backend",
                one_of("auto", "native", "vllm"),
                "Who parses: `native` the parsers here; `vllm` those of vLLM, which needs "
                "`pip install 'render-service[vllm]'`; `auto` vLLM's where a plugin is given or "
                "a name is unknown here (ours).",
            ),
            Option(
                "tool_parser_plugin",
                TEXT,
                "Python file or module that registers a tool parser with vLLM.",
            ),
            Option(
                "reasoning_parser_plugin",
                TEXT,
                "Python file or module that registers a reasoning parser with vLLM.",
            ),
        ),
    ),
    (
        "replicas",
        (
            Option(
                "fingerprint",
                one_of("off", "check", "require"),
                "What /derender does with a request that a differently configured replica "
                "rendered: `check` refuses it, `require` also one that does not tell, `off` "
                "neither writes nor compares fingerprints (ours).",
            ),
            Option(
                "stream_state_version",
                number(1, 2),
                "Version of the stream_state that new streams carry: while replicas are upgraded, "
                "the newest one that the old ones read (ours).",
            ),
            Option(
                "stream_state_format",
                one_of("native", "vllm"),
                "`vllm`: states hold vLLM's form too, and parsed streams go at its pace, so that "
                "vllm launch render can go on with them: for fleets that have both (ours).",
            ),
            Option(
                "parser_cache_bytes",
                SIZE_OR_NONE,
                "Memory of each worker for live streams, which saves resuming them from their "
                "state; 0: none. Changes no answer (ours).",
            ),
        ),
    ),
)
