"""Values that leave the service and come back unchanged: signed, readable, not secret."""

import hashlib
from collections.abc import Sequence
from typing import Any

from itsdangerous import BadData, URLSafeSerializer


class Signer:
    """Seals small JSON values for one purpose.

    `secret_keys`: the first seals, all open, so that keys can be rotated. `purpose` keeps a
    value sealed for one use from opening in another.
    """

    def __init__(self, secret_keys: Sequence[str], purpose: str) -> None:
        self._serializer = URLSafeSerializer(
            list(reversed(secret_keys)),  # itsdangerous signs with the last
            salt=purpose,
            signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
        )

    def close(self, value: object) -> str:
        return self._serializer.dumps(value)

    def open(self, raw: str) -> Any:
        """Return what was sealed. Raises ValueError for anything that we did not seal."""
        if not raw.isascii():
            raise ValueError("not sealed here")
        try:
            return self._serializer.loads(raw)
        except BadData:
            raise ValueError("not sealed here") from None
