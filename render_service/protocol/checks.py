"""What vLLM 0.33.0 refuses in a body before it looks at the fields' types.

Rule: each check reads the body as it came (a plain dict) and raises with vLLM's text. Callers
run them in vLLM's order, last validator of the class first. Wrong types that would make vLLM
answer 500 are left to the schema, which refuses them.
"""

from __future__ import annotations

from typing import Any

from ..errors import RequestError
from .fields import invalid

MAX_CACHE_SALT = 128
_CACHE_SALT_FORBIDDEN = frozenset("@/\\\x00")

Body = dict[str, Any]


def cache_salt(body: Body) -> None:
    salt = body.get("cache_salt")
    if salt is None:
        return
    if not isinstance(salt, str) or not salt:
        raise invalid(
            "Parameter 'cache_salt' must be a non-empty string if provided.", "cache_salt"
        )
    if len(salt) > MAX_CACHE_SALT or not _CACHE_SALT_FORBIDDEN.isdisjoint(salt):
        raise invalid(
            "Parameter 'cache_salt' must be at most 128 characters and must "
            "not contain '@', '/', '\\\\', or NUL.",
            "cache_salt",
        )


def media_payload(body: Body) -> None:
    """`return_mm_kwargs: false` is the old name of `mm_payload: "none"`."""
    if body.get("return_mm_kwargs") is False and "mm_payload" not in body:
        body["mm_payload"] = "none"


def response_format(body: Body) -> None:
    wanted = body.get("response_format")
    if (
        isinstance(wanted, dict)
        and wanted.get("type") == "json_schema"
        and wanted.get("json_schema") is None
    ):
        raise invalid(
            "When response_format type is 'json_schema', the 'json_schema' field must be provided.",
            "response_format",
        )


def stream_options(body: Body) -> None:
    if body.get("stream_options") and not body.get("stream"):
        raise invalid("Stream options can only be defined when `stream=True`.", "stream_options")


def structured_outputs(body: Body, param: str | None) -> bool:
    """Whether a constraint is given. param: what vLLM names in the error."""
    given = body.get("structured_outputs")
    if not isinstance(given, dict):
        return False
    count = sum(given.get(kind) is not None for kind in ("json", "regex", "choice"))
    if count > 1:
        raise invalid(
            "You can only use one kind of constraints for structured "
            "outputs ('json', 'regex' or 'choice').",
            param,
        )
    return count > 0


def integers(body: Body, *names: str) -> None:
    for name in names:
        value = body.get(name)
        if value is not None and not isinstance(value, (int, float)):
            raise invalid(f"`{name}` must be an integer.", name, value)


def prompt_logprobs(body: Body) -> None:
    wanted = body.get("prompt_logprobs")
    if wanted is None:
        return
    if body.get("stream") and (wanted > 0 or wanted == -1):
        raise invalid("`prompt_logprobs` are not available when `stream=True`.", "prompt_logprobs")
    not_negative(body, "prompt_logprobs")


def not_negative(body: Body, name: str) -> None:
    value = body.get(name)
    if value is not None and value < 0 and value != -1:
        raise invalid(f"`{name}` must be a positive value or -1.", name, value)


def thinking_token_budget(body: Body) -> None:
    budget = body.get("thinking_token_budget")
    if budget is None:
        return
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < -1:
        raise invalid(
            "`thinking_token_budget` must be a non-negative integer or -1 for unlimited.",
            "thinking_token_budget",
            budget,
        )
    if budget == -1:
        body["thinking_token_budget"] = None


def generation_prompt(body: Body) -> None:
    if body.get("continue_final_message") and body.get("add_generation_prompt"):
        raise RequestError(
            "Cannot set both `continue_final_message` and `add_generation_prompt` to True."
        )


def media_kwargs(mm_processor_kwargs: object, media_io_kwargs: object) -> None:
    """vLLM without --trust-request-mm-kwargs."""
    for name, value, risk in (
        ("mm_processor_kwargs", mm_processor_kwargs, "preprocessing"),
        ("media_io_kwargs", media_io_kwargs, "media loading"),
    ):
        if value:
            raise invalid(
                f"Per-request {name} are disabled by default because they can change multimodal "
                f"{risk} resource usage. Start the server with --trust-request-mm-kwargs only "
                "when clients are trusted.",
                name,
            )
