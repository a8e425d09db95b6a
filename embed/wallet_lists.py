"""Many wallets of a page at once: searched, and changed together."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from embed import activity
from embed.database import db
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput
from embed.models import Page, Tag, Wallet, WalletTag
from embed.pages import bump_version, lock_page
from embed.wallets import TrackedWallet, read_tracked

PART_SIZE = 100
MAX_CHANGED = 1000

Change = Literal["hide", "show", "tag", "untag", "remove"]
CHANGES: tuple[Change, ...] = get_args(Change)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which wallets are looked for."""

    text: str = ""  # in the alias or the address
    tag: Tag | None = None
    is_hidden: bool | None = None


@dataclass(frozen=True, slots=True)
class WalletPart:
    """A hundred of the wallets that were looked for."""

    wallets: list[TrackedWallet]
    total: int
    number: int  # from 1
    last: int


def search_wallets(page: Page, wanted: Wanted, number: int = 1) -> WalletPart:
    """Return a part of what is looked for, oldest first, in four statements."""
    found = Wallet.select(Wallet.id).where(Wallet.page == page, *_list_conditions(wanted))
    total = found.count()
    last = max(1, -(-total // PART_SIZE))
    number = min(max(1, number), last)
    part = found.order_by(Wallet.created_at, Wallet.id).paginate(number, PART_SIZE)
    ids = [wallet.id for wallet in part]
    return WalletPart(read_tracked(page, Wallet.id.in_(ids)), total, number, last)


def _list_conditions(wanted: Wanted) -> list[Any]:
    conditions: list[Any] = []
    text = wanted.text.replace("\0", "").strip()
    if text:
        conditions.append(Wallet.public_alias.contains(text) | Wallet.address.contains(text))
    if wanted.tag is not None:
        tagged = WalletTag.select(WalletTag.wallet).where(WalletTag.tag == wanted.tag)
        conditions.append(Wallet.id.in_(tagged))
    if wanted.is_hidden is not None:
        conditions.append(Wallet.is_hidden == wanted.is_hidden)
    return conditions


def change_wallets(
    page_id: str,
    wallet_ids: Collection[str],
    change: Change,
    *,
    tag: Tag | None = None,
    now: datetime,
    actor: str,
) -> int:
    """Do one thing to many wallets and return how many there were; unknown ones are passed over.

    `tag` is what ``tag`` and ``untag`` put on or take off, a tag of the page. Raises NotFound,
    InvalidInput.
    """
    wanted = {wallet_id for wallet_id in wallet_ids if is_id(wallet_id)}
    if len(wanted) > MAX_CHANGED:
        raise InvalidInput(f"At most {MAX_CHANGED} wallets can be changed at once.")
    with db.atomic():
        page = lock_page(page_id)
        rows = Wallet.select(Wallet.id).where(Wallet.page == page, Wallet.id.in_(list(wanted)))
        ids = [wallet.id for wallet in rows]
        if ids:
            _change(ids, change, tag)
            bump_version(page.id)
            subject = f"{len(ids)}, {tag.name}" if tag is not None else str(len(ids))
            activity.record(page.id, actor, f"{change} wallets", subject, now)
    return len(ids)


def _change(ids: list[str], change: Change, tag: Tag | None) -> None:
    if change in ("hide", "show"):
        Wallet.update(is_hidden=change == "hide").where(Wallet.id.in_(ids)).execute()
    elif change == "remove":
        Wallet.delete().where(Wallet.id.in_(ids)).execute()
    elif tag is None:
        raise InvalidInput("Choose a tag.")
    elif change == "tag":
        links = [{"wallet": wallet_id, "tag": tag} for wallet_id in ids]
        WalletTag.insert_many(links).on_conflict_ignore().execute()
    else:
        WalletTag.delete().where(WalletTag.wallet.in_(ids), WalletTag.tag == tag).execute()
