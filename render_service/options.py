"""Every flag of `serve` as data; flag, environment variable and YAML key follow from the field.

Field `chat_template` of Settings is `--chat-template`, `RENDER_CHAT_TEMPLATE` and `chat-template`.
Defaults are those of Settings. Names and meanings are vLLM 0.33.0's; "ours" marks additions.
"""

from __future__ import annotations

from typing import NamedTuple

from .option_types import (
    COMMAS,
    FILE,
    JSON,
    JSON_LIST,
    LONGEST,
    REPEATED,
    SECONDS,
    SIZE,
    SWITCH,
    TEXT,
    TEXTS,
    Kind,
    number,
    one_of,
    optional,
    size_or_auto,
)
from .tokenizer_mode import MODES


class Option(NamedTuple):
    field: str
    kind: Kind
    help: str

    @property
    def flag(self) -> str:
        return "--" + self.field.replace("_", "-")

    @property
    def variable(self) -> str:
        return "RENDER_" + self.field.upper()


_LEVELS = ("critical", "error", "warning", "info", "debug", "trace")

GROUPS: tuple[tuple[str, tuple[Option, ...]], ...] = (
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
                "`pip install 'render-service[vllm]'`; `auto` vLLM's for plugins and for names "
                "that only vLLM has (ours).",
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
                SIZE,
                "Memory of each worker for live streams, which saves resuming them from their "
                "state; 0: none. Changes no answer (ours).",
            ),
        ),
    ),
    (
        "server",
        (
            Option("host", TEXT, "Address to listen on. Default: all IPv4 addresses."),
            Option("port", number(0, 65535), "Port to listen on; 0: any free one."),
            Option("uds", FILE, "Unix domain socket to listen on instead of host and port."),
            Option("root_path", TEXT, "Prefix below which a proxy serves this."),
            Option(
                "workers",
                number(1, 1024),
                "Processes, each with its own event loop; one that dies is replaced (ours).",
            ),
            Option(
                "renderer_num_workers",
                number(1, 1024),
                "Threads a process for work that would hold up its event loop.",
            ),
            Option(
                "max_num_queued_reqs",
                number(0),
                "Requests a process that may wait for a thread; then 503 with Retry-After.",
            ),
            Option("max_body_bytes", SIZE, "Largest request body; then 413 (ours)."),
            Option(
                "timeout_keep_alive",
                number(0, LONGEST),
                "Seconds an idle connection stays open (ours).",
            ),
            Option(
                "shutdown_timeout",
                number(0, LONGEST),
                "After SIGTERM or SIGINT, seconds for requests in flight to finish.",
            ),
            Option(
                "drain_delay",
                SECONDS,
                "After the signal, seconds to go on serving with /ready at 503, so that load "
                "balancers turn away first; a second signal ends it (ours).",
            ),
            Option(
                "h11_max_incomplete_event_size",
                SIZE,
                "Bytes of a request's line and headers. (The parser is httptools, not h11: "
                "bodies have --max-body-bytes.)",
            ),
            Option("h11_max_header_count", number(1), "Headers of a request."),
        ),
    ),
    (
        "security",
        (
            Option(
                "api_key",
                TEXTS,
                "One of these must come as `Authorization: Bearer KEY` for paths below /v1; "
                "also from VLLM_API_KEY. /tokenize, /detokenize and /metrics stay open.",
            ),
            Option(
                "state_key",
                TEXTS,
                "Secret that replicas share: every stream_state carries a MAC, and a changed or "
                "foreign one is refused with a 400. With two keys the first signs and both are "
                "accepted, for rotation; also from RENDER_STATE_KEY.",
            ),
            Option("ssl_keyfile", FILE, "Private key."),
            Option("ssl_certfile", FILE, "Certificate (chain)."),
            Option("ssl_ca_certs", FILE, "Authorities for client certificates."),
            Option(
                "ssl_cert_reqs",
                number(0, 2),
                "Client certificates: 0 none, 1 optional, 2 required.",
            ),
            Option("ssl_ciphers", TEXT, "Cipher suites for TLS 1.2."),
            Option("enable_ssl_refresh", SWITCH, "Load changed TLS files without a restart."),
            Option("allowed_origins", JSON_LIST, 'CORS: origins, as ["https://a.example"].'),
            Option("allowed_methods", JSON_LIST, "CORS: methods."),
            Option("allowed_headers", JSON_LIST, "CORS: headers."),
            Option("allow_credentials", SWITCH, "CORS: credentials."),
            Option("disable_fastapi_docs", SWITCH, "No GET /openapi.json, as in vLLM."),
            Option(
                "middleware",
                REPEATED,
                "Import path of an ASGI class or a coroutine function; may be repeated.",
            ),
        ),
    ),
    (
        "logging",
        (
            Option(
                "enable_request_id_headers",
                SWITCH,
                "Send X-Request-Id with every answer: the request's, else a new one.",
            ),
            Option(
                "enable_log_requests",
                SWITCH,
                "Log each request's ID, parameters and text.",
            ),
            Option(
                "max_log_len",
                Kind("one", optional(number(0).read), "N"),
                "Characters of text to log a request. Default: all.",
            ),
            Option("disable_uvicorn_access_log", SWITCH, "No line for each answer."),
            Option(
                "disable_access_log_for_endpoints",
                COMMAS,
                "Paths without such a line, as /health,/metrics.",
            ),
            Option("uvicorn_log_level", one_of(*_LEVELS), "Least severity to log."),
        ),
    ),
)

OPTIONS: dict[str, Option] = {option.field: option for _, group in GROUPS for option in group}
