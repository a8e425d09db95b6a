"""One action on many wallets of a page."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Literal

from embed.db.batches import in_batches
from embed.db.models import Page, Tag, Wallet, WalletTag
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput, NotFound
from embed.events.editing import editing
from embed.events.kinds import BulkFacts
from embed.wallets.search import WalletFilter, list_conditions

MAX_CHANGED = 1000  # when they're named one by one

BulkAction = Literal["hide", "show", "tag", "untag", "remove"]
BULK_ACTIONS: Mapping[BulkAction, str] = {
    "hide": "hide wallets",
    "show": "show wallets",
    "tag": "tag wallets",
    "untag": "untag wallets",
    "remove": "remove wallets",
}


def change_wallets(
    page_id: str,
    which: Collection[str] | WalletFilter,
    action: BulkAction,
    *,
    tag: Tag | None = None,
    now: datetime,
    actor: str,
) -> int:
    """Apply one action to many wallets and return how many there were.

    `which` has their ids, where unknown ones are skipped, or is a filter that they match now. `tag`
    is the tag of the page that ``tag`` and ``untag`` add or remove. Raises NotFound, InvalidInput.
    """
    with editing(page_id, actor, now) as edit:
        conditions = (
            list_conditions(edit.page, which)
            if isinstance(which, WalletFilter)
            else _list_named(edit.page, which)
        )
        if tag is not None and Tag.get_or_none(Tag.id == tag.id) is None:
            raise NotFound(f"There is no tag {tag.id}.")  # it was removed meanwhile
        rows: Any = Wallet.select(Wallet.id).where(*conditions).tuples()
        ids = [wallet_id for (wallet_id,) in rows]
        for batch in in_batches(ids):
            _change(batch, action, tag)
        if ids:
            tag_name = None if tag is None else tag.name
            edit.log(BULK_ACTIONS[action], BulkFacts(len(ids), tag_name))
    return len(ids)


def _list_named(page: Page, which: Collection[str]) -> list[Any]:
    """Raises InvalidInput."""
    wanted = {wallet_id for wallet_id in which if is_id(wallet_id)}
    if len(wanted) > MAX_CHANGED:
        raise InvalidInput("At most %(max)s wallets can be changed at once.", max=MAX_CHANGED)
    return [Wallet.page == page, Wallet.id.in_(list(wanted))]


def _change(ids: list[str], action: BulkAction, tag: Tag | None) -> None:
    if action in ("hide", "show"):
        Wallet.update(is_hidden=action == "hide").where(Wallet.id.in_(ids)).execute()
    elif action == "remove":
        Wallet.delete().where(Wallet.id.in_(ids)).execute()
    elif tag is None:
        raise InvalidInput("Choose a tag.", field="tag")
    elif action == "tag":
        links = [{"wallet": wallet_id, "tag": tag} for wallet_id in ids]
        WalletTag.insert_many(links).on_conflict_ignore().execute()
    else:
        WalletTag.delete().where(WalletTag.wallet.in_(ids), WalletTag.tag == tag).execute()
