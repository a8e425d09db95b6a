"""Tokens: what the chain says about mints, their supply, and proposals for new pages.

Mints whose balances the chain refused aren't read again automatically.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from embed.balances.mints import NoSuchMint, TokenInfo, read_token
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc
from embed.db.models import Page, Person, Token
from embed.domain.addresses import parse_mint
from embed.domain.concurrency import Busy
from embed.domain.texts import drop_dollar_signs
from embed.domain.times import Seconds
from embed.errors import InvalidInput

READ_AGAIN_AFTER = timedelta(days=1)  # names change
READ_AGAIN_WITHIN_S = 5.0
PROPOSE_WITHIN_S = 3.0  # an owner waits for it

_FACTS = (Token.program, Token.decimals, Token.name, Token.symbol)

_log = logging.getLogger(__name__)


def get_program(
    rpc: SolanaRpc, mint: str, now: datetime, *, timeout_s: Seconds | None = None
) -> str:
    """Return a mint's token program; the mint is read the first time, and then once a day.

    Never call it inside a transaction. Raises NoSuchMint, and RpcUnavailable if nothing is known.
    """
    is_known = Token.observed_at.is_null(False) & Token.program.is_null(False)
    known = Token.get_or_none(Token.mint == mint, is_known)
    if known is not None and abs(now - known.observed_at) < READ_AGAIN_AFTER:
        return str(known.program)
    try:
        info = read_token(rpc, mint, timeout_s=READ_AGAIN_WITHIN_S if known else timeout_s)
    except RpcUnavailable:
        if known is None:
            raise
        return str(known.program)
    _store_token(info, now)
    return info.program


def _store_token(info: TokenInfo, now: datetime) -> None:
    Token.insert(
        mint=info.mint,
        program=info.program,
        decimals=info.decimals,
        name=info.name,
        symbol=info.symbol,
        observed_at=now,
        problem=None,
    ).on_conflict(
        conflict_target=[Token.mint], preserve=[*_FACTS, Token.observed_at, Token.problem]
    ).execute()


def propose_token(rpc: SolanaRpc | None, mint: str) -> TokenInfo:
    """Read a mint for the owner of a new page. Never call it inside a transaction.

    Its symbol comes without leading dollar signs, as pages store it. Raises InvalidInput if there's
    no such mint or no RPC server to ask.
    """
    mint = parse_mint(mint)
    if rpc is None:
        raise InvalidInput(
            "The name and the ticker can't be looked up, because this server isn't connected to "
            "an RPC server."
        )
    try:
        with rpc.concurrency_limit:
            info = read_token(rpc, mint, timeout_s=PROPOSE_WITHIN_S)
    except NoSuchMint as mistake:
        raise InvalidInput(str(mistake), field="token_mint") from None
    except (RpcUnavailable, Busy) as failure:
        raise InvalidInput(
            "The name and the ticker can't be looked up right now. %(failure)s", failure=failure
        ) from None
    return replace(info, symbol=drop_dollar_signs(info.symbol or "") or None)


def store_refusal(mint: str, reason: str) -> None:
    """Store why a mint's balances can't be read, and log it once."""
    if find_problem(mint) is not None:
        return
    (
        Token.insert(mint=mint, problem=reason)
        .on_conflict(conflict_target=[Token.mint], preserve=[Token.problem])
        .execute()
    )
    _log.warning("Balances of the mint %s are no longer read: %s", mint, reason)


def clear_refusal(mint: str) -> None:
    """Let a mint's balances be read again."""
    Token.update(problem=None, observed_at=None).where(
        Token.mint == mint, Token.problem.is_null(False)
    ).execute()


def list_problems(owner: Person) -> dict[str, str]:
    """Return why balances aren't read, by mint, for the mints of an owner's pages."""
    mints = Page.select(Page.token_mint).where(Page.owner == owner)
    rows: Any = Token.select(Token.mint, Token.problem).where(
        Token.mint.in_(mints), Token.problem.is_null(False)
    )
    return dict(rows.tuples())


def find_problem(mint: str) -> str | None:
    """Return why a mint's balances are not read."""
    token: Token | None = Token.get_or_none(Token.mint == mint)
    return None if token is None else token.problem


@dataclass(frozen=True, slots=True)
class Supply:
    amount: Decimal  # whole tokens, as wallets show them
    observed_at: datetime


def store_supplies(supplies: Mapping[str, Supply]) -> list[str]:
    """Store supplies by their mints, and return the mints whose supply has changed.

    The caller gives their pages a new version in the same transaction.
    """
    if not supplies:
        return []
    known: Any = Token.select(Token.mint, Token.supply).where(Token.mint.in_(list(supplies)))
    changed = [mint for mint, amount in known.tuples() if amount != supplies[mint].amount]
    for mint, supply in sorted(supplies.items()):
        Token.update(supply=supply.amount, supply_observed_at=supply.observed_at).where(
            Token.mint == mint
        ).execute()
    return changed
