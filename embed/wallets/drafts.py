"""The draft of a page: what the chain says about its token and the largest holders."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import msgspec
from itsdangerous import BadSignature

from embed.balances.token_accounts import look_up_largest_holders
from embed.balances.tokens import propose_token
from embed.db.connection import db
from embed.db.models import ApiKey, Page, Person
from embed.domain.addresses import is_on_curve
from embed.domain.signing import Signer
from embed.errors import InvalidInput
from embed.events.editing import Change
from embed.keys import derived, management
from embed.pages import create_page
from embed.runtime import Runtime
from embed.wallets.suggestions import add_suggested

_PURPOSE = "draft"
KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Draft:
    """What the chain said; the new page's form carries it, signed, to save asking again."""

    mint: str
    name: str | None
    symbol: str | None
    supply: Decimal | None
    holders: tuple[tuple[str, Decimal], ...]  # addresses with whole tokens, most first

    @property
    def program_count(self) -> int:
        """Count the holders that are programs, such as pools."""
        return sum(not is_on_curve(address) for address, _ in self.holders)

    def sign(self, signer: Signer) -> str:
        return signer.sign(_PURPOSE, msgspec.to_builtins(self), KEPT_FOR)


def read_draft(raw: str, signer: Signer) -> Draft | None:
    """Return a draft that was signed here within KEPT_FOR."""
    try:
        return signer.read(_PURPOSE, raw, Draft).value
    except BadSignature:
        return None


def look_up_draft(mint: str, runtime: Runtime) -> tuple[Draft, InvalidInput | None]:
    """Ask the chain; the mistake, if any, says why the holders can't be read.

    Never call it inside a transaction. Raises InvalidInput if the token can't be read.
    """
    info = propose_token(runtime.chain, mint)
    try:
        found = look_up_largest_holders(runtime.chain, mint)
    except InvalidInput as mistake:
        return Draft(mint, info.name, info.symbol, None, ()), mistake
    holders = tuple(found.amounts.items())
    return Draft(mint, info.name, info.symbol, found.supply, holders), None


def set_up_page(
    owner: Person,
    fields: dict[str, Any],
    change: Change,
    *,
    addresses: Sequence[str],
    raw_origins: Sequence[str],
) -> tuple[Page, tuple[ApiKey, str] | None]:
    """Create a page with its first wallets and a key for its site or, without one, a share link.

    Raises InvalidInput, in which case nothing was created.
    """
    with db.atomic():
        page = create_page(owner, fields, change)
        if addresses:
            add_suggested(page.id, addresses, change)
        if not raw_origins:
            derived.share_page(page.id, change)
            return page, None
        made = management.create_key(page.id, "public", change, raw_origins=raw_origins)
    return page, made
