"""The fingerprint on its way: from /render with the request ID, from chunk to chunk with the state.

Engines give the request ID back behind a prefix of theirs, so a client carries it without knowing.
--fingerprint says what /derender makes of it: `check` refuses another configuration's, `require`
also a request without one, `off` writes and compares nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .fingerprint import carried, conflict, is_value
from .stream_state import StreamState, invalid

if TYPE_CHECKING:
    from .model import Model

MISSING = (
    "This replica runs with --fingerprint require, and neither request_id nor stream_state says "
    "which configuration rendered the request. Send the engine the request_id of the /render "
    "answer (it ends with -rf and 12 hex digits) and no X-Request-Id header, which would replace "
    "it; send /derender the request_id as the engine gave it back; and let no replica run with "
    "--fingerprint off."
)


def suffix(model: Model) -> str:
    """What /render puts at the end of a request ID."""
    return "" if model.settings.fingerprint == "off" else model.fingerprint.suffix


def written(model: Model) -> str | None:
    """What /derender puts into a state."""
    return None if model.settings.fingerprint == "off" else model.fingerprint.value


def check_fingerprint(model: Model, request_id: str, state: StreamState | None = None) -> None:
    """RequestError 409 for what another configuration rendered. request_id: the engine's."""
    mode = model.settings.fingerprint
    if mode == "off":
        return
    ours = model.fingerprint
    in_state = None if state is None else state.f
    if in_state is not None and in_state != ours.value:
        if not is_value(in_state):
            raise invalid("its fingerprint is none")
        raise ours.mismatch(in_state, "stream_state")
    if request_id.endswith(ours.suffix):
        return
    in_id = carried(request_id)
    if in_id is not None:
        raise ours.mismatch(in_id, "request_id")
    if mode == "require" and in_state is None:
        raise conflict(MISSING, "request_id")
