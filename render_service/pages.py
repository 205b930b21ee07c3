"""What is served besides the endpoints: models, health, readiness, version and metrics."""

from __future__ import annotations

import secrets
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from . import __version__, metrics
from .reply import RETRY, Reply, json_reply

if TYPE_CHECKING:
    from .model import Model

EMPTY = Reply(200)
VERSION = json_reply({"version": __version__})
READY = json_reply({"status": "ready"})
DRAINING = json_reply({"status": "draining"}, 503, [RETRY])


def models(model: Model) -> Reply:
    """OpenAI's list of models with vLLM's additions; IDs and times are new in each answer."""
    data = [_card(name, model) for name in model.names]
    return json_reply({"object": "list", "data": data})


def _card(name: str, model: Model) -> dict[str, Any]:
    now = int(time.time())
    permission = {
        "id": f"modelperm-{secrets.token_hex(8)}",
        "object": "model_permission",
        "created": now,
        "allow_create_engine": False,
        "allow_sampling": True,
        "allow_logprobs": True,
        "allow_search_indices": False,
        "allow_view": True,
        "allow_fine_tuning": False,
        "organization": "*",
        "group": None,
        "is_blocking": False,
    }
    return {
        "id": name,
        "object": "model",
        "created": now,
        "owned_by": "vllm",
        "root": model.settings.model or name,
        "parent": None,
        "max_model_len": model.max_model_len,
        "permission": [permission],
    }


def fingerprint(model: Model) -> Reply:
    """What `fleet_check.py` compares."""
    return json_reply(model.fingerprint.report(model.settings.fingerprint, model.state_keys.ids))


def exposition(instruments: metrics.Metrics) -> Reply:
    kind = (b"content-type", metrics.CONTENT_TYPE.encode())
    return Reply(200, instruments.exposition(), (kind,))


@cache
def openapi() -> Reply:
    """The same for every model. Made at the first request: it takes a fifth of a second."""
    from .openapi import document

    return json_reply(document())
