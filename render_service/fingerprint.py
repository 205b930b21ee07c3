"""The configuration fingerprint: replicas that would answer alike have the same one.

It covers what changes an answer and nothing else, so not host, port or release. /render puts
it into the request ID, which engines give back, and /derender refuses what another
configuration rendered. Twelve hex digits hold a digest of everything and two bits of each
component, so that a mismatch usually names its component though only the digits travelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import orjson

from .errors import RequestError

# Raised when bodies or states change so that older replicas would answer otherwise.
WIRE_VERSION = 1

DIGITS = 12
_NAMED_BITS = 2
_SUFFIX = re.compile(rf"-rf([0-9a-f]{{{DIGITS}}})\Z")


class Fingerprint:
    """components: a digest by name, in a fixed order. value: the twelve digits."""

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

    @property
    def suffix(self) -> str:
        """What a rendered request ID ends with."""
        return f"-rf{self.value}"

    def differing(self, other: str) -> list[str]:
        """Components that certainly differ from those of another value; may miss some."""
        bits = (int(self.value, 16) ^ int(other, 16)) & (1 << self._named_size) - 1
        found = []
        for name in reversed(tuple(self.components)):
            if bits & (1 << _NAMED_BITS) - 1:
                found.append(name)
            bits >>= _NAMED_BITS
        return found[::-1]

    def check(self, other: str) -> None:
        """RequestError 409 unless `other` is this fingerprint."""
        if other != self.value:
            raise self._mismatch(other)

    def _mismatch(self, other: str) -> RequestError:
        names = ", ".join(self.differing(other)) or "a component that the digits do not tell"
        return RequestError(
            f"This replica's configuration (fingerprint {self.value}) is not the one that the "
            f"request was rendered with ({other}): {names} differs. Send the request to a replica "
            "with the same model files and flags; `render-service fleet-check` compares replicas.",
            status=409,
            type="ConfigFingerprintMismatch",
        )


def carried(request_id: str) -> str | None:
    """The fingerprint in a request ID that /render made, whatever an engine put before it."""
    found = _SUFFIX.search(request_id)
    return found and found[1]


def _digest(name: str, value: Any) -> bytes:
    content = orjson.dumps([name, value], option=orjson.OPT_SORT_KEYS)
    return blake2b(content, digest_size=16).digest()
