"""Many wallets of a page at once: searched, and changed together."""

from collections.abc import Collection
from datetime import datetime
from typing import Literal, get_args

from embed import events
from embed.db.connection import db
from embed.db.models import Tag, Wallet, WalletTag
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput
from embed.pages import bump_version, lock_page

MAX_CHANGED = 1000

Change = Literal["hide", "show", "tag", "untag", "remove"]
CHANGES: tuple[Change, ...] = get_args(Change)


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
            events.record(page.id, actor, f"{change} wallets", subject, now)
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
