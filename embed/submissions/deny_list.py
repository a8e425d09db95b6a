"""Deny lists: what owners keep out of one page, or of all their pages."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from embed.db.batches import in_batches
from embed.db.connection import db
from embed.db.constraints import translate_unique_violations
from embed.db.models import Block, Page, Person, Submission, Wallet
from embed.domain.addresses import shorten_address
from embed.domain.deny_list import list_networks, matches_any, parse_pattern
from embed.domain.identifiers import is_id
from embed.errors import ApiError, InvalidInput, NotFound
from embed.events import account_log
from embed.events.editing import (
    Change,
    Edit,
    check_owner_is_there,
    editing,
    lock_owners,
)
from embed.events.kinds import BlockFacts

# Per page, and per owner for all pages: each submission is compared with all name patterns.
MAX_BLOCKS = 1_000
MAX_COMPARED = 5_000  # names of a page, while a pattern is being written: 0.1 s


def check_not_blocked(
    page_id: str, *, wallet_address: str, nickname: str, client: str | None
) -> None:
    """Raise ApiError `not_accepted` if the page or its owner blocked any of these.

    `client` is an address or network; None if it says nothing about the visitor.
    """
    exact = [wallet_address, *(list_networks(client) if client else [])]
    rows: Any = Block.select(Block.pattern, Block.kind).where(
        (Block.page == page_id)
        | (Block.person == Page.select(Page.owner).where(Page.id == page_id)),
        (Block.kind == "name") | Block.pattern.in_(exact),
    )
    blocked = list(rows.tuples())
    if any(kind != "name" for _, kind in blocked) or matches_any(dict(blocked), nickname):
        raise ApiError("not_accepted")


def list_of_page(page: Page) -> list[Block]:
    """Return what is blocked on this page alone, newest first."""
    return _list(Block.page == page)


def list_of_person(person: Person) -> list[Block]:
    """Return what is blocked on all pages of a person, newest first."""
    return _list(Block.person == person)


def _list(condition: Any) -> list[Block]:
    query = Block.select().where(condition)
    return list(query.order_by(Block.created_at.desc(), Block.id.desc()))


def find_listed(page: Page, kind: str, pattern: str) -> tuple[int, list[str]]:
    """Return how many of the page's wallets were compared, and the names of the matches."""
    if kind == "network":
        return 0, []
    wallets = Wallet.select(Wallet.address, Wallet.public_alias).where(Wallet.page == page)
    if kind == "wallet":
        found = wallets.where(Wallet.address == pattern)
        return 1, [one.public_alias or one.address for one in found]
    named = wallets.where(Wallet.public_alias.is_null(False)).limit(MAX_COMPARED)
    names = [one.public_alias or "" for one in named]
    return len(names), [name for name in names if matches_any([pattern], name)]


def block_on_page(page_id: str, kind: str, raw_pattern: str, change: Change) -> Block:
    """Raises NotFound, InvalidInput."""
    pattern = parse_pattern(kind, raw_pattern)
    with _translate_conflict(pattern), editing(page_id, change) as edit:
        _check_room(Block.page == edit.page)
        block = _create(change, kind, pattern, page=edit.page)
        edit.log("add block", BlockFacts(block.kind, _shorten_pattern(block)))
    return block


def block_for_person(person: Person, kind: str, raw_pattern: str, change: Change) -> Block:
    """Block something on all pages that a person owns, now and later. Raises InvalidInput."""
    pattern = parse_pattern(kind, raw_pattern)
    with _translate_conflict(pattern), db.atomic():
        lock_owners(person.id)
        check_owner_is_there(person.id)
        _check_room(Block.person == person)
        block = _create(change, kind, pattern, person=person)
        account_log.store(
            person, "block added", change.now, change.client, pattern=_shorten_pattern(block)
        )
    return block


def _create(change: Change, kind: str, pattern: str, **scope: Page | Person) -> Block:
    return Block.create(
        kind=kind, pattern=pattern, created_by=change.actor, created_at=change.now, **scope
    )


def remove_block(block_id: str, change: Change) -> Block:
    """Raises NotFound."""
    block = get_block(block_id)
    if block.page_id is not None:
        with editing(block.page_id, change) as edit:
            _delete(block)
            edit.log("remove block", BlockFacts(block.kind, _shorten_pattern(block)))
        return block
    person: Any = block.person
    with db.atomic():
        account_log.store(
            person, "block removed", change.now, change.client, pattern=_shorten_pattern(block)
        )
        _delete(block)
    return block


def get_block(block_id: str) -> Block:
    """Raises NotFound."""
    block: Block | None = Block.get_or_none(Block.id == block_id) if is_id(block_id) else None
    if block is None:
        raise NotFound(f"There is no block {block_id}.")
    return block


def _delete(block: Block) -> None:
    if not block.delete_instance():
        raise NotFound(f"There is no block {block.id}.")


def block_wallets(edit: Edit, submissions: Sequence[Submission]) -> None:
    """Block the wallets of rejected submissions on their page. Raises InvalidInput."""
    addresses = [one.wallet_address for one in submissions]
    of_page = Block.page == edit.page
    rows: Any = Block.select(Block.pattern).where(
        of_page, Block.kind == "wallet", Block.pattern.in_(addresses)
    )
    blocked = {pattern for (pattern,) in rows.tuples()}
    blocks = [
        Block(
            page=edit.page,
            kind="wallet",
            pattern=one.wallet_address,
            created_by=edit.change.actor,
            submission=one,
            created_at=edit.change.now,
        )
        for one in submissions
        if one.wallet_address not in blocked
    ]
    _check_room(of_page, len(blocks))
    for batch in in_batches(blocks):
        Block.bulk_create(batch)
    for block in blocks:
        edit.log("add block", BlockFacts(block.kind, _shorten_pattern(block)))


def unblock_wallets(edit: Edit, submissions: Sequence[Submission]) -> None:
    """Remove the blocks that came with these rejections, which are being undone."""
    made = Block.submission.in_([one.id for one in submissions])
    for block in list(Block.select().where(made).order_by(Block.id)):
        block.delete_instance()
        edit.log("remove block", BlockFacts(block.kind, _shorten_pattern(block)))


def _shorten_pattern(block: Block) -> str:
    """Return what an entry blocks, for places that don't store wallets' addresses."""
    return shorten_address(block.pattern) if block.kind == "wallet" else block.pattern


def _check_room(scope: Any, added: int = 1) -> None:
    if added and Block.select().where(scope).count() + added > MAX_BLOCKS:
        raise InvalidInput(
            "A deny list can have at most %(max)s entries. Remove some first.",
            field="pattern",
            max=MAX_BLOCKS,
        )


def _translate_conflict(pattern: str) -> AbstractContextManager[None]:
    taken = InvalidInput("%(pattern)s is already blocked.", field="pattern", pattern=pattern)
    return translate_unique_violations(
        {"block_page_id_kind_pattern": taken, "block_person_id_kind_pattern": taken}
    )
