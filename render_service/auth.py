"""API keys by vLLM's rule: `Authorization: Bearer KEY` below some prefixes, never for OPTIONS."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

GUARDED = ("/v1", "/v2", "/inference", "/cohere")


class ApiKeys:
    """Holds digests only; comparing takes the same time whatever the key."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._digests = tuple(_digest(key.encode()) for key in keys if key)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def refuse(self, method: str, path: str, headers: Mapping[bytes, bytes]) -> bool:
        """path: without the root path. headers: names in lower case."""
        if method == "OPTIONS" or not path.startswith(GUARDED):
            return False
        scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            return True
        digest = _digest(key)
        matches = [hmac.compare_digest(digest, known) for known in self._digests]
        return not any(matches)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
