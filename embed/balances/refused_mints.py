"""Mints of which the chain refused to tell balances; they are not asked for again by themselves."""

import logging

from embed.db.models import Token

_log = logging.getLogger(__name__)


def record_refusal(mint: str, reason: str) -> None:
    """Keep why a mint's balances cannot be read, and log it once."""
    if find_problem(mint) is not None:
        return
    (
        Token.insert(mint=mint, problem=reason)
        .on_conflict(conflict_target=[Token.mint], preserve=[Token.problem])
        .execute()
    )
    _log.warning("Balances of the mint %s are no longer read: %s", mint, reason)


def forgive(mint: str) -> None:
    """Let a mint be asked for again."""
    Token.update(problem=None, observed_at=None).where(
        Token.mint == mint, Token.problem.is_null(False)
    ).execute()


def find_problem(mint: str) -> str | None:
    """Return why a mint's balances are not read."""
    token: Token | None = Token.get_or_none(Token.mint == mint)
    return None if token is None else token.problem
