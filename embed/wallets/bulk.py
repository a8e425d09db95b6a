"""One action on many wallets of a page."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Literal

from embed.db.models import Tag, Wallet, WalletTag
from embed.domain.activity import Action
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput
from embed.events.editing import editing
from embed.events.kinds import Event

MAX_CHANGED = 1000

BulkAction = Literal["hide", "show", "tag", "untag", "remove"]
BULK_ACTIONS: Mapping[BulkAction, Action] = {
    "hide": "hide wallets",
    "show": "show wallets",
    "tag": "tag wallets",
    "untag": "untag wallets",
    "remove": "remove wallets",
}


def change_wallets(
    page_id: str,
    wallet_ids: Collection[str],
    action: BulkAction,
    *,
    tag: Tag | None = None,
    now: datetime,
    actor: str,
) -> int:
    """Apply one action to many wallets and return how many there were; skip unknown ids.

    `tag` is a tag of the page, which ``tag`` and ``untag`` add and remove. Raises NotFound,
    InvalidInput.
    """
    wanted = {wallet_id for wallet_id in wallet_ids if is_id(wallet_id)}
    if len(wanted) > MAX_CHANGED:
        raise InvalidInput("At most %(max)s wallets can be changed at once.", max=MAX_CHANGED)
    with editing(page_id, actor, now) as edit:
        rows = Wallet.select(Wallet.id).where(Wallet.page == edit.page, Wallet.id.in_(list(wanted)))
        ids = [wallet.id for wallet in rows]
        if ids:
            _change(ids, action, tag)
            named = {"tagName": None if tag is None else tag.name}
            edit.log(Event(BULK_ACTIONS[action], {"count": len(ids), **named}))
    return len(ids)


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
