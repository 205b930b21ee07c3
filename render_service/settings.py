"""Everything that can be configured, by the names of the flags. Immutable after start-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Field `chat_template` is flag `--chat-template`, and so on; defaults are vLLM 0.33.0's."""

    # Model
    model: str = ""  # folder or hub ID; empty: the bundled demo model
    tokenizer: str | None = None
    tokenizer_mode: str = "auto"
    tokenizer_backend: Literal["auto", "tokenizers", "fastokens"] = "auto"
    revision: str | None = None
    trust_remote_code: bool = False
    served_model_name: tuple[str, ...] = ()
    max_model_len: int | None = None
    max_logprobs: int = 20
    generation_config: str = "auto"
    override_generation_config: Mapping[str, Any] = field(default_factory=dict)

    # Chat template
    chat_template: str | None = None  # path or inline
    chat_template_content_format: Literal["auto", "string", "openai"] = "auto"
    default_chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    trust_request_chat_template: bool = False
    reasoning_effort_map: Mapping[str, str] = field(default_factory=dict)
    anthropic_disabled_thinking_effort: Literal[
        "auto", "none", "low", "medium", "high", "xhigh", "max"
    ] = "auto"

    # Parsing
    reasoning_parser: str | None = None
    tool_call_parser: str | None = None
    enable_auto_tool_choice: bool = False
    exclude_tools_when_tool_choice_none: bool = False
    tool_strict_level: str | None = None
    parser_backend: Literal["auto", "native", "vllm"] = "auto"
    tool_parser_plugin: str = ""  # module or file
    reasoning_parser_plugin: str = ""

    # Replicas
    fingerprint: Literal["off", "check", "require"] = "check"
    stream_state_version: Literal[1, 2] = 2  # of streams that begin here
    stream_state_format: Literal["native", "vllm"] = "native"
    parser_cache_bytes: int = 64 * 1024 * 1024  # of each worker; 0: none

    # Server
    host: str | None = None
    port: int = 8000
    uds: str | None = None
    root_path: str = ""
    workers: int = 1
    renderer_num_workers: int = 1
    api_key: tuple[str, ...] = ()
    state_key: tuple[str, ...] = ()  # the first signs stream states, all are accepted
    ssl_keyfile: str | None = None
    ssl_certfile: str | None = None
    ssl_ca_certs: str | None = None
    ssl_cert_reqs: int = 0
    ssl_ciphers: str | None = None
    allowed_origins: tuple[str, ...] = ()
    allowed_methods: tuple[str, ...] = ("*",)
    allowed_headers: tuple[str, ...] = ("*",)
    allow_credentials: bool = False
    enable_request_id_headers: bool = False
    disable_fastapi_docs: bool = False
    enable_ssl_refresh: bool = False
    middleware: tuple[str, ...] = ()
    max_body_bytes: int = 64 * 1024 * 1024
    max_num_queued_reqs: int = 256  # waiting for a render thread
    max_queued_bytes: int = 256 * 1024 * 1024  # of bodies that are in work; 0: no bound
    max_queue_wait: float = 30.0  # seconds; 0: no bound
    request_timeout: float = 120.0  # seconds in a render thread; 0: no bound
    max_key_reqs: int = 0  # of one API key, waiting and in work; 0: no bound
    timeout_keep_alive: int = 75  # seconds; longer than load balancers keep an idle connection
    shutdown_timeout: int = 30  # seconds; vLLM's default is 0
    drain_delay: float = 0.0  # seconds of /ready 503 before connections are refused
    h11_max_incomplete_event_size: int = 4 * 1024 * 1024
    h11_max_header_count: int = 256

    # Logging
    log_format: Literal["text", "json"] = "text"
    otlp_traces_endpoint: str | None = None
    enable_log_requests: bool = False
    max_log_len: int | None = None
    disable_uvicorn_access_log: bool = False
    disable_access_log_for_endpoints: tuple[str, ...] = ()
    uvicorn_log_level: str = "info"
