"""The configuration fingerprint: replicas that would answer alike have the same one.

Twelve hex digits hold a digest of everything and two bits of each component, so that a mismatch
usually names its component though only the digits travelled. What the components are is in
`fingerprint_components.py`, how the digits travel in `fingerprint_check.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from .errors import RequestError

DIGITS = 12
_NAMED_BITS = 2
_VALUE = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
_SUFFIX = re.compile(rf"-rf({_VALUE.pattern})\Z")


class Fingerprint:
    """components: a digest by name, in a fixed order. value: the twelve digits.

    suffix: what a rendered request ID ends with.
    """

    def __init__(self, components: Mapping[str, Any]) -> None:
        """components: what each component says, as JSON values; key order does not matter."""
        digests = {name: _digest(name, value) for name, value in components.items()}
        self.components: Mapping[str, str] = MappingProxyType(
            {name: digest.hex()[:DIGITS] for name, digest in digests.items()}
        )
        named = 0
        for digest in digests.values():
            named = named << _NAMED_BITS | digest[-1] & (1 << _NAMED_BITS) - 1
        self._named_size = _NAMED_BITS * len(digests)
        whole = blake2b(b"".join(digests.values())).digest()
        rest = int.from_bytes(whole[:8]) >> 64 - (4 * DIGITS - self._named_size)
        self.value = f"{rest << self._named_size | named:0{DIGITS}x}"
        self.suffix = f"-rf{self.value}"

    def report(self, mode: str, state_keys: Sequence[str]) -> dict[str, Any]:
        """What GET /v1/fingerprint answers. mode: that of --fingerprint. state_keys: IDs of the
        keys, which stand beside the fingerprint: while they are rotated, replicas' may differ.
        """
        return {
            "fingerprint": self.value,
            "components": dict(self.components),
            "mode": mode,
            "state_keys": list(state_keys),
        }

    def differing(self, other: str) -> list[str]:
        """Components that certainly differ from those of another value; may miss some."""
        bits = (int(self.value, 16) ^ int(other, 16)) & (1 << self._named_size) - 1
        found = []
        for name in reversed(tuple(self.components)):
            if bits & (1 << _NAMED_BITS) - 1:
                found.append(name)
            bits >>= _NAMED_BITS
        return found[::-1]

    def mismatch(self, other: str, where: str) -> RequestError:
        """The 409 for another replica's fingerprint. where: the field that carried it."""
        names = ", ".join(self.differing(other))
        what = (
            f"What differs: {names}; `render-service fleet-check URL...` compares replicas."
            if names
            else "The digits cannot name what differs, as for one component in four: "
            "run `render-service fleet-check URL...` over the replicas, which can."
        )
        return conflict(
            f"{where} comes from a replica that is configured differently: its fingerprint is "
            f"{other}, that of this replica is {self.value}. {what} Send the request to a replica "
            "with the same model files and flags as the one that rendered it.",
            where,
        )


def conflict(message: str, param: str) -> RequestError:
    return RequestError(message, status=409, type="ConfigFingerprintMismatch", param=param)


def is_value(text: str) -> bool:
    return _VALUE.fullmatch(text) is not None


def carried(request_id: str) -> str | None:
    """The fingerprint in a request ID that /render made, whatever an engine put before it."""
    found = _SUFFIX.search(request_id)
    return found and found[1]


def _digest(name: str, value: Any) -> bytes:
    # Not orjson: settings may hold integers of any size and text that is not valid Unicode.
    content = json.dumps([name, value], sort_keys=True)
    return blake2b(content.encode(), digest_size=16).digest()
