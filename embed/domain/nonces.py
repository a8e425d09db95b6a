"""Single-use nonces, and the messages that wallets sign (docs/api.md, Ask for a nonce).

An issued nonce is not stored: ``nonceId`` contains it, signed. Whatever uses it stores its random
part under a unique constraint, so that it cannot be used twice.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal, Self, get_args

from itsdangerous import BadSignature

from embed.domain.identifiers import ID_LENGTH, hash_key, make_id
from embed.domain.signing import Signer
from embed.domain.times import format_instant
from embed.errors import ApiError

Action = Literal["show", "withdraw"]
ACTIONS: tuple[Action, ...] = get_args(Action)
STATEMENT = "Signing is free. This signature does not authorize any transaction."

_CONSEQUENCES: dict[str, tuple[str, str]] = {
    "show": (
        "to show what a page keeps of it",
        "Whoever sends this signature sees what this page keeps of the wallet. Nothing changes.",
    ),
    "withdraw": (
        "to withdraw it from a page",
        "What was sent to this page for the wallet until now is erased. The wallet leaves the "
        "list, unless the page's owner entered it. This cannot be undone.",
    ),
}


@dataclass(frozen=True, slots=True)
class IssuedNonce:
    """What every ``nonceId`` contains, whatever its signature is for."""

    purpose: ClassVar[str]  # a nonce for one is never accepted for another
    signed_shape: ClassVar[Any] = tuple[str, str, str, str, str, str]

    page_id: str
    wallet_address: str
    key_id: str
    host: str
    token: str
    detail: str  # what else the signature is bound to, "" if nothing
    issued_at: datetime
    expires_at: datetime

    @classmethod
    def issue(
        cls,
        signer: Signer,
        *,
        page_id: str,
        wallet_address: str,
        key_id: str,
        host: str,
        lifetime: timedelta,
        detail: str = "",
    ) -> tuple[str, Self]:
        """Return a new ``nonceId`` and the nonce that it contains."""
        contents = (page_id, wallet_address, key_id, host, make_id(), detail)
        now = signer.clock()
        nonce_id = signer.sign(cls.purpose, contents, lifetime, now)
        return nonce_id, cls(*contents, now, now + lifetime)

    @classmethod
    def read(cls, raw: str, signer: Signer) -> Self:
        """Raises ApiError `invalid_nonce` if it was not issued here or has expired."""
        try:
            signed = signer.read(cls.purpose, raw, cls.signed_shape)
        except BadSignature:
            raise ApiError("invalid_nonce") from None
        page_id, address, key_id, host, token, detail = signed.value
        times = signed.signed_at, signed.expires_at
        return cls(page_id, address, key_id, host, token, detail, *times)

    @classmethod
    def make_wallet_token(cls, page_id: str, wallet_address: str) -> str:
        """Return a token of all such nonces for a wallet on a page, which names neither."""
        return hash_key(f"{cls.purpose} {page_id} {wallet_address}")[:ID_LENGTH]

    def check_binding(self, *, page_id: str, wallet_address: str, key_id: str, detail: str) -> None:
        """Raises ApiError `nonce_binding_mismatch` unless issued for exactly these."""
        if (self.page_id, self.wallet_address, self.key_id) != (page_id, wallet_address, key_id):
            raise ApiError("nonce_binding_mismatch")
        if self.detail not in ("", detail):
            raise ApiError("nonce_binding_mismatch")

    def build_message(self) -> str:
        """Return the text to sign: under 1,200 bytes, as a Ledger signs no more.

        All but a nickname is printable ASCII and newlines. The first line differs for each
        purpose, so that nobody can pass a signature for one as a signature for another, and
        deliberately from Sign-In With Solana: wallets parse such messages strictly, and this
        message ends differently.
        """
        raise NotImplementedError

    def _build_message(self, *beginning: str) -> str:
        return "\n".join(
            (
                *beginning,
                f"Wallet: {self.wallet_address}",
                f"Tracking page: {self.page_id}",
                f"Nonce: {self.token}",
                f"Issued at: {format_instant(self.issued_at)}",
                f"Valid until: {format_instant(self.expires_at)}",
                "",
                STATEMENT,
            )
        )


class Nonce(IssuedNonce):
    """For a submission; `detail` is the normalized nickname, or "", which allows any."""

    __slots__ = ()
    purpose = "embed nonce"

    def build_message(self) -> str:
        name = (f"Name: {self.detail}",) if self.detail else ()
        return self._build_message(
            f"{self.host} asks for proof that you own this wallet.", "", *name
        )


class RecordNonce(IssuedNonce):
    """For a wallet's records, when its holder asks for them; `detail` is the action."""

    __slots__ = ()
    purpose = "embed record nonce"
    signed_shape = tuple[str, str, str, str, str, Action]

    def build_message(self) -> str:
        aim, consequence = _CONSEQUENCES[self.detail]
        first = f"{self.host} asks for proof that you own this wallet, {aim}."
        return self._build_message(first, "", consequence, "")


def parse_action(raw: str) -> Action:
    """Raises ApiError `invalid_action`."""
    for action in ACTIONS:
        if raw == action:
            return action
    raise ApiError("invalid_action")
