"""The tracked wallets of a page."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import Case, fn

from embed.balances.known import BalanceSource
from embed.balances.observations import Observation, store_entered
from embed.db.constraints import translate_unique_violations
from embed.db.fields import in_byte_order
from embed.db.models import (
    IS_VISIBLE,
    LOW_IN_A_ROW,
    Page,
    Submission,
    Tag,
    TrackedWallet,
    Wallet,
    WalletTag,
)
from embed.domain.addresses import parse_pasted_address
from embed.domain.amounts import RawAmount, parse_amount
from embed.domain.folding import fold_wallet
from embed.domain.identifiers import is_id
from embed.domain.texts import gettext_noop, parse_optional_text
from embed.errors import InvalidInput, NotFound
from embed.events.editing import Change, Edit, bump_version, editing, editing_row
from embed.events.kinds import WalletFacts
from embed.wallets.tags import list_tags


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletFields:
    """The values to set; None leaves a value unchanged, an empty alias removes it."""

    alias: str | None = None
    tag_names: Sequence[str] | None = None
    balance: RawAmount | None = None
    is_hidden: bool | None = None


class PageFull(InvalidInput):
    """The page would track more wallets than MAX_WALLETS allows."""

    def __init__(self, max_wallets: int) -> None:
        sentence = gettext_noop("A page can have at most %(max)s wallets.")
        super().__init__(sentence, max=max_wallets)


def list_wallets(
    page: Page,
    balances: BalanceSource,
    *conditions: Any,
    page_tags: Sequence[Tag] | None = None,
) -> list[TrackedWallet]:
    """Return the page's wallets that meet all conditions, oldest first, in three statements.

    `page_tags` are all tags of the page, in order, if the caller has them: wallets share these
    objects.
    """
    page_tags = list_tags(page) if page_tags is None else page_tags
    columns = (Wallet.id, Wallet.address, Wallet.public_alias, Wallet.is_hidden)
    marks = (Wallet.low_count, Wallet.is_withheld, Wallet.created_at)
    query = Wallet.select(*columns, *marks, *balances.amounts)
    rows = (
        balances.join(query, page)
        .where(Wallet.page == page, *conditions)
        .order_by(Wallet.created_at, in_byte_order(Wallet.id))
    )
    tags = _list_tags_by_wallet(page, page_tags, *conditions)
    return [
        TrackedWallet(
            wallet_id,
            address,
            alias,
            is_hidden,
            next((amount for amount in amounts if amount is not None), None),
            tags[wallet_id],
            is_flagged=low_count >= LOW_IN_A_ROW,
            is_withheld=is_withheld,
            created_at=created_at,
        )
        for wallet_id, address, alias, is_hidden, low_count, is_withheld, created_at, *amounts in (
            rows.tuples().iterator()
        )
    ]


def _list_tags_by_wallet(
    page: Page, page_tags: Sequence[Tag], *conditions: Any
) -> defaultdict[str, tuple[Tag, ...]]:
    links = (
        WalletTag.select(WalletTag.wallet, WalletTag.tag)
        .join(Wallet)
        .where(Wallet.page == page, *conditions)
    )
    wallets_by_tag: defaultdict[str, list[str]] = defaultdict(list)
    for wallet_id, tag_id in links.tuples().iterator():
        wallets_by_tag[tag_id].append(wallet_id)
    by_wallet: defaultdict[str, tuple[Tag, ...]] = defaultdict(tuple)
    for tag in page_tags:
        for wallet_id in wallets_by_tag[tag.id]:
            by_wallet[wallet_id] += (tag,)
    return by_wallet


def add_wallet(page_id: str, pasted: str, fields: WalletFields, change: Change) -> Wallet:
    """Track the address that a person pasted. Raises NotFound, InvalidInput."""
    address = parse_pasted_address(pasted, field="address")
    taken = InvalidInput("%(address)s is already on the page.", field="address", address=address)
    with (
        translate_unique_violations({"wallet_page_id_address": taken}),
        editing(page_id, change) as edit,
    ):
        if not _count_room(edit.page.id, change.settings.max_wallets):
            raise PageFull(change.settings.max_wallets)
        wallet = Wallet.create(page=edit.page, address=address, created_at=change.now)
        _apply(edit, wallet, fields)
        edit.log("add wallet", WalletFacts(wallet.address, wallet.public_alias))
    return wallet


def _count_room(page_id: str, max_wallets: int) -> int:
    """Return how many more wallets the page can take; it's locked, so this stays true."""
    tracked = Wallet.select().where(Wallet.page == page_id).count()
    return max(0, max_wallets - tracked)


def update_wallet(wallet_id: str, fields: WalletFields, change: Change) -> None:
    """Raises NotFound, InvalidInput."""
    with editing_row(Wallet, wallet_id, change) as (edit, wallet):
        before = _read_details(wallet)
        _apply(edit, wallet, fields)
        if fields.balance is not None or _read_details(wallet) != before:
            edit.log("change wallet", WalletFacts(wallet.address, wallet.public_alias))


def _read_details(wallet: Wallet) -> tuple[Any, ...]:
    """Return everything an owner sets except the balance."""
    tags = WalletTag.select(WalletTag.tag).where(WalletTag.wallet == wallet)
    return wallet.public_alias, wallet.is_hidden, set(tags.tuples())


def remove_wallet(wallet_id: str, change: Change) -> None:
    """Stop tracking a wallet; its observed balance stays stored. Raises NotFound."""
    with editing_row(Wallet, wallet_id, change) as (edit, wallet):
        wallet.delete_instance()
        edit.log("remove wallet", WalletFacts(wallet.address, wallet.public_alias))


def track_approved(
    page_id: str, approved: Sequence[Submission], now: datetime, *, max_wallets: int
) -> list[Submission]:
    """Put approved wallets on their locked page, and return those for which there's no room.

    The page gets a new version if its list changes. Wallets that the owner entered stay as they
    are; those withdrawn while hidden stay hidden.
    """
    addresses = [one.wallet_address for one in approved]
    of_page = (Wallet.page == page_id) & Wallet.address.in_(addresses)
    known = {wallet.address: wallet for wallet in Wallet.select().where(of_page)}
    again = any(wallet.is_withdrawn for wallet in known.values())
    if again:
        _give_to(approved, of_page & Wallet.is_withdrawn)
    new = [one for one in approved if one.wallet_address not in known]
    room = _count_room(page_id, max_wallets) if new else 0
    rows = [
        {
            "page": page_id,
            "address": one.wallet_address,
            "public_alias": one.nickname,
            "folded": fold_wallet(one.nickname, one.wallet_address),
            "submission": one,
            "created_at": now,
        }
        for one in new[:room]
    ]
    if rows:
        Wallet.insert_many(rows).execute()
    if again or rows:
        bump_version(page_id)
    return new[room:]


def _give_to(approved: Sequence[Submission], withdrawn: Any) -> None:
    """Give withdrawn wallets to new submissions, with their nicknames unless named already."""
    new = Submission.select().where(
        Submission.id.in_([one.id for one in approved]), Submission.wallet_address == Wallet.address
    )
    Wallet.update(
        submission=new.select(Submission.id),
        public_alias=fn.COALESCE(Wallet.public_alias, new.select(Submission.nickname)),
        folded=Case(
            None, [(Wallet.public_alias.is_null(), new.select(Submission.folded))], Wallet.folded
        ),
        is_withdrawn=False,
    ).where(withdrawn).execute()


def remove_submitted_wallets(of_submissions: Any) -> None:
    """Untrack wallets that submissions put on their page; the condition says which.

    One that the owner has hidden stays on record as hidden: otherwise submitting it again would be
    a way around the owner's decision.
    """
    Wallet.delete().where(of_submissions, ~Wallet.is_hidden).execute()
    for wallet in list(Wallet.select().where(of_submissions)):
        WalletTag.delete().where(WalletTag.wallet == wallet).execute()
        wallet.submission, wallet.is_withdrawn = None, True
        wallet.public_alias, wallet.folded = None, fold_wallet(None, wallet.address)
        wallet.save()


def find_visible(page: Page, wallet_id: str) -> Wallet | None:
    """Return a wallet of the page's public list."""
    if not is_id(wallet_id):
        return None
    wallet: Wallet | None = Wallet.get_or_none(Wallet.id == wallet_id, IS_VISIBLE)
    return wallet if wallet is not None and wallet.page_id == page.id else None


def get_tracked(wallet_id: str, balances: BalanceSource) -> TrackedWallet:
    """Raises NotFound."""
    page = Page.select().join(Wallet).where(Wallet.id == wallet_id).get_or_none()
    tracked = page and list_wallets(page, balances, Wallet.id == wallet_id)
    if not tracked:
        raise NotFound(f"There is no wallet {wallet_id}.")
    return tracked[0]


def _apply(edit: Edit, wallet: Wallet, fields: WalletFields) -> None:
    if fields.alias is not None:
        wallet.public_alias = parse_optional_text(
            fields.alias, gettext_noop("name"), field="alias", max_length=100
        )
    if fields.is_hidden is not None:
        wallet.is_hidden = fields.is_hidden
    wallet.folded = fold_wallet(wallet.public_alias, wallet.address)
    wallet.save()
    if fields.tag_names is not None:
        _set_tags(wallet, edit.page, fields.tag_names)
    if fields.balance is not None:
        amount = parse_amount(fields.balance)
        store_entered(edit.page, [Observation(wallet.address, amount, edit.change.now)])


def _set_tags(wallet: Wallet, page: Page, names: Sequence[str]) -> None:
    wanted = set(names)
    tags = list(Tag.select().where(Tag.page == page, Tag.name.in_(wanted))) if wanted else []
    missing = wanted - {tag.name for tag in tags}
    if missing:
        raise InvalidInput(
            "The page has no tag %(name)s. Add it first.",
            field="tag_names",
            name=repr(min(missing)),
        )
    WalletTag.delete().where(WalletTag.wallet == wallet).execute()
    if tags:
        WalletTag.insert_many([{"wallet": wallet, "tag": tag} for tag in tags]).execute()
