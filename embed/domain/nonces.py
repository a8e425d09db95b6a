"""The single-use nonce and the message that a wallet signs (spec 2.5).

An issued nonce is not stored: ``nonceId`` contains it, signed. The submission that uses it
stores its random part under a unique constraint, so that it cannot be used twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from embed.domain.identifiers import make_id
from embed.domain.signing import Signer
from embed.domain.times import Clock, format_instant
from embed.errors import ApiError

STATEMENT = "Signing is free. This signature does not authorize any transaction."


@dataclass(frozen=True, slots=True)
class IssuedNonce:
    """What every ``nonceId`` contains, whatever its signature is for."""

    page_id: str
    wallet_address: str
    key_id: str
    host: str
    token: str
    issued_at: datetime
    expires_at: datetime

    def build_binding_lines(self) -> tuple[str, ...]:
        """Return the last lines of the text to sign, which say what the signature is bound to."""
        return (
            f"Wallet: {self.wallet_address}",
            f"Tracking page: {self.page_id}",
            f"Nonce: {self.token}",
            f"Issued at: {format_instant(self.issued_at)}",
            f"Valid until: {format_instant(self.expires_at)}",
            "",
            STATEMENT,
        )


@dataclass(frozen=True, slots=True)
class Nonce(IssuedNonce):
    """The contents of a submission's ``nonceId``."""

    nickname: str | None = None  # normalised; None: the message names nobody

    def check_binding(
        self, *, page_id: str, wallet_address: str, key_id: str, nickname: str
    ) -> None:
        """Raises ApiError `nonce_binding_mismatch` unless issued for exactly these (spec 5.9).

        A nonce without a nickname goes with any.
        """
        if (self.page_id, self.wallet_address, self.key_id) != (page_id, wallet_address, key_id):
            raise ApiError("nonce_binding_mismatch")
        if self.nickname not in (None, nickname):
            raise ApiError("nonce_binding_mismatch")

    def build_message(self) -> str:
        """Return the text to sign: under 1,200 bytes, as a Ledger signs no more.

        All but the nickname is printable ASCII and newlines. The first line deliberately differs
        from Sign-In With Solana: wallets parse such messages strictly, and this message ends
        differently.
        """
        name = () if self.nickname is None else (f"Name: {self.nickname}",)
        return "\n".join(
            (
                f"{self.host} asks for proof that you own this wallet.",
                "",
                *name,
                *self.build_binding_lines(),
            )
        )


class NonceSigner:
    """Issues nonces as ``nonceId`` values, and reads them back."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._signer = Signer(
            secret_keys, "embed nonce", clock, tuple[str, str, str, str, str, str]
        )

    def issue(
        self,
        *,
        page_id: str,
        wallet_address: str,
        key_id: str,
        host: str,
        lifetime: timedelta,
        nickname: str | None = None,
    ) -> tuple[str, Nonce]:
        """Return a new ``nonceId`` and the nonce that it contains; `nickname` is normalised."""
        contents = (page_id, wallet_address, key_id, host, make_id(), nickname or "")
        nonce_id = self._signer.sign(contents, lifetime)
        return nonce_id, self.unsign(nonce_id)

    def unsign(self, raw: str) -> Nonce:
        """Raises ApiError `invalid_nonce` if it was not issued here or has expired."""
        try:
            signed = self._signer.unsign(raw)
        except ValueError:
            raise ApiError("invalid_nonce") from None
        page_id, wallet_address, key_id, host, token, nickname = signed.value
        return Nonce(
            page_id,
            wallet_address,
            key_id,
            host,
            token,
            signed.signed_at,
            signed.expires_at,
            nickname or None,
        )
