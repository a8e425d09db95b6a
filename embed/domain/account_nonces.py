"""What people sign with a wallet to sign in, to link it to their account, and for "Is it you?".

An issued nonce is not stored: ``nonceId`` contains it, signed. It is used once, as those of
visitors are (nonces.py), whose texts begin differently.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from embed.domain.identifiers import make_id
from embed.domain.nonces import STATEMENT
from embed.domain.signing import Signer
from embed.domain.times import Clock, format_instant
from embed.errors import ApiError

Purpose = Literal["sign in", "link", "confirm"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
NONCE_LIFETIME = timedelta(minutes=10)  # for hardware wallets, and for signing by hand
_MAX_EMAIL_LENGTH = 254

# The first line, after the host, and what follows from signing.
_SENTENCES: dict[Purpose, tuple[str, str]] = {
    "sign in": (
        "asks you to sign in to its dashboard with this wallet.",
        "Whoever sends this signature gets into the account that the wallet is linked to.",
    ),
    "link": (
        "asks you to link this wallet to your account.",
        "From then on, whoever holds this wallet can sign in to the account below.",
    ),
    "confirm": (
        "asks whether it is you who is signed in.",
        "For 30 minutes, your browser may then do what is only for you in the account below.",
    ),
}


@dataclass(frozen=True, slots=True)
class AccountNonce:
    """What a ``nonceId`` contains."""

    purpose: Purpose
    wallet_address: str
    host: str
    email: str  # of the account; "" for signing in
    session_id: str  # of the person who is signed in; "" for signing in
    token: str
    issued_at: datetime
    expires_at: datetime

    def check_binding(self, *, purpose: Purpose, wallet_address: str, session_id: str) -> None:
        """Raises ApiError `nonce_binding_mismatch` unless issued for exactly these."""
        wanted = (purpose, wallet_address, session_id)
        if (self.purpose, self.wallet_address, self.session_id) != wanted:
            raise ApiError("nonce_binding_mismatch")

    def build_message(self) -> str:
        """Return the text to sign: printable ASCII and newlines, under 1,200 bytes, for Ledgers.

        The first line differs for each purpose, and from those of visitors' texts.
        """
        aim, consequence = _SENTENCES[self.purpose]
        account = (f"Account: {_write_ascii(self.email)}",) if self.email else ()
        return "\n".join(
            (
                f"{self.host} {aim}",
                "",
                consequence,
                "",
                f"Wallet: {self.wallet_address}",
                *account,
                f"Nonce: {self.token}",
                f"Issued at: {format_instant(self.issued_at)}",
                f"Valid until: {format_instant(self.expires_at)}",
                "",
                STATEMENT,
            )
        )


class AccountNonceSigner:
    """Issues nonces as ``nonceId`` values, and reads them back."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        shape: Any = tuple[Purpose, str, str, str, str, str]
        self._signer: Signer[Any] = Signer(secret_keys, "embed account nonce", clock, shape)

    def issue(
        self,
        purpose: Purpose,
        *,
        wallet_address: str,
        host: str,
        email: str = "",
        session_id: str = "",
    ) -> tuple[str, AccountNonce]:
        """Return a new ``nonceId`` and the nonce that it contains."""
        contents = (purpose, wallet_address, host, email, session_id, make_id())
        nonce_id = self._signer.sign(contents, NONCE_LIFETIME)
        return nonce_id, self.unsign(nonce_id)

    def unsign(self, raw: str) -> AccountNonce:
        """Raises ApiError `invalid_nonce` if it was not issued here or has expired."""
        try:
            signed = self._signer.unsign(raw)
        except ValueError:
            raise ApiError("invalid_nonce") from None
        purpose, address, host, email, session_id, token = signed.value
        return AccountNonce(
            purpose,
            address,
            host,
            email,
            session_id,
            token,
            signed.signed_at,
            signed.expires_at,
        )


def _write_ascii(email: str) -> str:
    """Return an e-mail address with escapes for what is not ASCII, which not all wallets sign."""
    return email.encode("ascii", "backslashreplace").decode("ascii")[:_MAX_EMAIL_LENGTH]
