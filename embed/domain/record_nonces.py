"""The nonce and the message with which a wallet's holder asks for what a page keeps of it.

As with a submission's nonce, ``nonceId`` contains it, signed; but for another purpose, so that
neither is taken for the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

from embed.domain.identifiers import make_id
from embed.domain.nonces import IssuedNonce
from embed.domain.signing import Signer
from embed.domain.times import Clock
from embed.errors import ApiError

Action = Literal["show", "withdraw"]
ACTIONS: tuple[Action, ...] = get_args(Action)

_PURPOSES: dict[Action, tuple[str, str]] = {
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
class RecordNonce(IssuedNonce):
    """The contents of such a ``nonceId``."""

    action: Action

    def check_binding(
        self, *, page_id: str, wallet_address: str, key_id: str, action: Action
    ) -> None:
        """Raises ApiError `nonce_binding_mismatch` unless issued for exactly these."""
        bound = (self.page_id, self.wallet_address, self.key_id, self.action)
        if bound != (page_id, wallet_address, key_id, action):
            raise ApiError("nonce_binding_mismatch")

    def build_message(self) -> str:
        """Return the text to sign: printable ASCII and newlines, under 1,200 bytes.

        Its first line differs from that of a submission's message, so that nobody can pass a
        signature for one as a signature for the other.
        """
        aim, consequence = _PURPOSES[self.action]
        return "\n".join(
            (
                f"{self.host} asks for proof that you own this wallet, {aim}.",
                "",
                consequence,
                "",
                *self.build_binding_lines(),
            )
        )


class RecordNonceSigner:
    """Issues such nonces as ``nonceId`` values, and reads them back."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._signer = Signer(
            secret_keys, "embed record nonce", clock, tuple[str, str, str, str, str, Action]
        )

    def issue(
        self,
        *,
        page_id: str,
        wallet_address: str,
        key_id: str,
        host: str,
        action: Action,
        lifetime: timedelta,
    ) -> tuple[str, RecordNonce]:
        """Return a new ``nonceId`` and the nonce that it contains."""
        contents = (page_id, wallet_address, key_id, host, make_id(), action)
        nonce_id = self._signer.sign(contents, lifetime)
        return nonce_id, self.unsign(nonce_id)

    def unsign(self, raw: str) -> RecordNonce:
        """Raises ApiError `invalid_nonce` if it was not issued here or has expired."""
        try:
            signed = self._signer.unsign(raw)
        except ValueError:
            raise ApiError("invalid_nonce") from None
        page_id, wallet_address, key_id, host, token, action = signed.value
        return RecordNonce(
            page_id,
            wallet_address,
            key_id,
            host,
            token,
            signed.signed_at,
            signed.expires_at,
            action,
        )


def parse_action(raw: str) -> Action:
    """Raises ApiError `invalid_action`."""
    for action in ACTIONS:
        if raw == action:
            return action
    raise ApiError("invalid_action")
