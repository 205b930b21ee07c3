"""What is printed once when the service is ready: a block, or with --log-format json a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import __version__
from .access_log import line_of

if TYPE_CHECKING:
    from .model import Model

MiB = 1024 * 1024


def describe(model: Model, address: str) -> str:
    """What is served and how, one fact a line; or all in one line of the JSON log."""
    settings = model.settings
    facts = {
        "model": _model(model),
        "served as": ", ".join(model.names),
        "template": _template(model),
        "parsers": _parsers(model),
        "tokenizer": f"{model.tokenizer.backend}, {model.tokenizer.size} tokens",
        "fingerprint": f"{model.fingerprint.value} ({settings.fingerprint})",
        "detokenizer": model.detokenizer.kind,
        "limits": f"{model.max_model_len} tokens a sequence, {settings.max_logprobs} logprobs, "
        f"{settings.max_body_bytes / MiB:g} MiB a body, {settings.max_num_queued_reqs} waiting",
        "workers": f"{settings.workers} x (event loop + {settings.renderer_num_workers} threads)",
        "address": address,
    }
    title = f"render-service {__version__}"
    if settings.log_format == "json":
        return line_of({"message": title, **facts})
    return "\n".join([title, *(f"  {name:12}{value}" for name, value in facts.items())])


def _model(model: Model) -> str:
    if model.settings.model:
        return model.settings.model
    return "the bundled demo model, because no MODEL was given"


def _template(model: Model) -> str:
    if model.renderer is not None:
        facts = {name: fact for name, fact in model.renderer.facts.items() if fact}
        own = facts.pop("renderer")
        return ", ".join(
            (f"{own}, without a chat template", *(f"{n} {f}" for n, f in facts.items()))
        )
    if model.template is None:
        return "none: chat requests need one (--chat-template)"
    return f"{model.template.origin} (content as {model.template.content_format})"


def _parsers(model: Model) -> str:
    outputs, asked = model.outputs, model.settings.tool_call_parser
    tool = outputs.tool or "none"
    if asked and not model.settings.enable_auto_tool_choice:
        tool += f" ({asked} needs --enable-auto-tool-choice)"
    elif not outputs.parses:
        return "none"
    names = f"reasoning {outputs.reasoning or 'none'}, tool calls {tool}"
    return names if outputs.backend is None else f"{names} ({outputs.backend})"
