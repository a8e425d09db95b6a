"""Used nonces: by submissions, and by actions that leave no submission, such as signing in."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from peewee import Value

from embed.db.batches import delete_in_batches, in_batches
from embed.db.models import Submission, UsedNonce
from embed.db.statements import Parameter, Statement
from embed.domain.times import to_ms
from embed.errors import ApiError


class AlreadyUsed(ApiError):
    """The nonce was already used; the API answers `invalid_nonce`."""

    def __init__(self) -> None:
        super().__init__("invalid_nonce")


# A minimum: NONCE_LIFETIME may have been longer when a nonce was issued.
KEPT_AFTER_WITHDRAWAL = timedelta(days=30)
# A clock that ran ahead for a while must not make a nonce usable again.
KEPT_AFTER_EXPIRY = timedelta(days=1)


def check_unused(token: str, wallet_token: str = "", expires_at: datetime | None = None) -> None:
    """Raise AlreadyUsed if a nonce was used.

    `wallet_token` is the token with which `revoke_nonces` would revoke this nonce, which expires
    at `expires_at`.
    """
    values = {
        "token": token,
        "wallet_token": wallet_token,
        "expires_at": to_ms(expires_at) if expires_at else 0,
    }
    if _FIND_USE.execute(**values).fetchone() is not None:
        raise AlreadyUsed


_is_revoked = (UsedNonce.token == Parameter("wallet_token")) & (
    UsedNonce.expires_at > Parameter("expires_at")
)
_FIND_USE = Statement(
    Submission.select(Value(1))
    .where(Submission.nonce == Parameter("token"))
    .union_all(
        UsedNonce.select(Value(1)).where((UsedNonce.token == Parameter("token")) | _is_revoked)
    )
)


def use_nonce(token: str, expires_at: datetime) -> None:
    """Use a nonce; only one of several racing requests succeeds. Raises AlreadyUsed."""
    kept_until = expires_at + KEPT_AFTER_EXPIRY
    insertion = UsedNonce.insert(token=token, expires_at=kept_until).on_conflict_ignore()
    if not insertion.as_rowcount().execute():
        raise AlreadyUsed


def revoke_nonces(wallet_token: str, before: datetime) -> None:
    """Revoke a wallet's nonces of one kind on a page that expire before then.

    `wallet_token` is IssuedNonce.make_wallet_token's. Unused nonces aren't stored anywhere, so one
    token stands for all of them.
    """
    UsedNonce.insert(token=wallet_token, expires_at=before).on_conflict(
        conflict_target=[UsedNonce.token],
        preserve=[UsedNonce.expires_at],
        where=UsedNonce.expires_at < before,
    ).execute()


def keep_used(tokens: Iterable[str], now: datetime, lifetime: timedelta) -> None:
    """Remember that nonces were used, since their submissions are being deleted."""
    expires_at = now + max(lifetime, KEPT_AFTER_WITHDRAWAL)
    for batch in in_batches({"token": each, "expires_at": expires_at} for each in tokens):
        UsedNonce.insert_many(batch).execute()


def prune(now: datetime) -> int:
    """Delete the records of nonces that nobody can use anymore; return how many."""
    return delete_in_batches(UsedNonce.token, UsedNonce.expires_at <= now)
