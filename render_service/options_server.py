"""The flags about the server: addresses, processes, security, limits and logs."""

from __future__ import annotations

from .option_types import (
    COMMAS,
    FILE,
    HEADER_TOKENS,
    LONGEST,
    ORIGINS,
    REPEATED,
    SECONDS,
    SIZE,
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
    path_prefix,
)

_LEVELS = ("critical", "error", "warning", "info", "debug", "trace")

SERVER_GROUPS: tuple[Group, ...] = (
    (
        "server",
        (
            Option("host", TEXT, "Address to listen on. Default: all IPv4 addresses."),
            Option("port", number(0, 65535), "Port to listen on; 0: any free one."),
            Option("uds", FILE, "Unix domain socket to listen on instead of host and port."),
            Option(
                "root_path",
                Kind("one", path_prefix, "PATH"),
                "Prefix below which a proxy serves this.",
            ),
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
            Option(
                "max_queued_bytes",
                SIZE_OR_NONE,
                "Bytes of bodies a process may hold, from receipt to answer; then 503 (ours).",
            ),
            Option(
                "max_queue_wait",
                SECONDS,
                "Seconds that a request may wait for a thread; then 503. 0: any (ours).",
            ),
            Option(
                "request_timeout",
                SECONDS,
                "Seconds that a request may be in a thread; then 503. 0: any (ours).",
            ),
            Option(
                "max_key_reqs",
                number(0),
                "Requests a process of one API key, in a thread or waiting for one; then 429 with "
                "Retry-After. 0: any (ours).",
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
            Option("allowed_origins", ORIGINS, 'CORS: origins, as ["https://a.example"].'),
            Option("allowed_methods", HEADER_TOKENS, "CORS: methods."),
            Option("allowed_headers", HEADER_TOKENS, "CORS: headers."),
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
            Option(
                "log_format",
                one_of("text", "json"),
                "json: each line is an object; an access line also tells the request's ID, its "
                "tokens and the microseconds of each stage (ours).",
            ),
            Option(
                "otlp_traces_endpoint",
                TEXT,
                "URL to send OpenTelemetry traces to, by OTLP over HTTP (extra `otel`).",
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
