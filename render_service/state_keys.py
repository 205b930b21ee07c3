"""MACs of stream states: with a key that replicas share, only a state that they wrote is taken."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from hmac import compare_digest

MAC_BYTES = 12
ID_BYTES = 4
SHORT = 16
"""Characters; who has a state, or the ID of a key, can try all keys that are much shorter."""


class StateKeys:
    """keys: secrets of any length. The first signs, all are accepted; none: nothing is signed.

    ids: 8 hex digits a key, in this order; they tell as little of it as a MAC does.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        # BLAKE2 takes keys of 64 bytes at most; a digest of the secret is as good a key.
        self._keys = tuple(blake2b(key.encode()).digest() for key in keys)
        self.ids = tuple(
            # `person` keeps it apart from the MACs.
            blake2b(digest_size=ID_BYTES, key=key, person=b"key ID").hexdigest()
            for key in self._keys
        )

    def __bool__(self) -> bool:
        return bool(self._keys)

    def sign(self, content: bytes) -> str:
        return _mac(self._keys[0], content)

    def accept(self, content: bytes, mac: str) -> bool:
        """Whether one of the keys signed the content."""
        found = [compare_digest(_mac(key, content).encode(), mac.encode()) for key in self._keys]
        return any(found)


def _mac(key: bytes, content: bytes) -> str:
    return blake2b(content, digest_size=MAC_BYTES, key=key).hexdigest()
