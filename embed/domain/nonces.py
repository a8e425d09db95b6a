"""The single-use nonce and the message that a wallet signs (spec 2.5).

A nonce is not kept when it is issued: it travels sealed in ``nonceId``. What uses it up is
the submission that it leads to, which holds its random part under a unique constraint.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from embed.domain.identifiers import make_id
from embed.domain.signing import Signer
from embed.domain.times import format_instant, from_ms, to_ms
from embed.errors import ApiError

STATEMENT = "Signing is free. This signature does not authorize any transaction."


@dataclass(frozen=True, slots=True)
class Nonce:
    """What a wallet is asked to sign for; whole milliseconds, as that is what is sealed."""

    page_id: str
    wallet_address: str
    key_id: str
    host: str
    token: str
    issued_at: datetime
    expires_at: datetime

    @classmethod
    def issue(
        cls,
        *,
        page_id: str,
        wallet_address: str,
        key_id: str,
        host: str,
        now: datetime,
        lifetime: timedelta,
    ) -> Self:
        return cls(page_id, wallet_address, key_id, host, make_id(), now, now + lifetime)

    def check_binding(self, *, page_id: str, wallet_address: str, key_id: str) -> None:
        """Raises ApiError `nonce_binding_mismatch` unless issued for just these (spec 5.9)."""
        if (self.page_id, self.wallet_address, self.key_id) != (page_id, wallet_address, key_id):
            raise ApiError("nonce_binding_mismatch")

    def build_message(self) -> str:
        """Return the text to sign: printable ASCII and newlines, under 1,200 bytes.

        A Ledger signs no more than that. The first line is not that of Sign-In With Solana
        on purpose: wallets parse such messages strictly, and this one ends differently.
        """
        return "\n".join(
            (
                f"{self.host} asks for proof that you own this wallet.",
                "",
                f"Wallet: {self.wallet_address}",
                f"Tracking page: {self.page_id}",
                f"Nonce: {self.token}",
                f"Issued at: {format_instant(self.issued_at)}",
                f"Valid until: {format_instant(self.expires_at)}",
                "",
                STATEMENT,
            )
        )


class NonceSigner:
    """Turns nonces into ``nonceId`` values and back."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        self._seal = Signer(secret_keys, "embed nonce")

    def close(self, nonce: Nonce) -> str:
        return self._seal.close(
            [
                nonce.page_id,
                nonce.wallet_address,
                nonce.key_id,
                nonce.host,
                nonce.token,
                to_ms(nonce.issued_at),
                to_ms(nonce.expires_at),
            ]
        )

    def open(self, raw: str, now: datetime) -> Nonce:
        """Return the nonce. Raises ApiError `invalid_nonce` if it is not ours or has expired."""
        try:
            page_id, wallet, key_id, host, token, issued_ms, expires_ms = self._seal.open(raw)
        except ValueError:
            raise ApiError("invalid_nonce") from None
        nonce = Nonce(page_id, wallet, key_id, host, token, from_ms(issued_ms), from_ms(expires_ms))
        if now >= nonce.expires_at:
            raise ApiError("invalid_nonce")
        return nonce
