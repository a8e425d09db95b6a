"""Writing a page with all that belongs to it into a file."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

import msgspec
from peewee import Field, Value, fn

from embed.db.connection import db
from embed.db.models import (
    Activity,
    ApiKey,
    Balance,
    ChainBalance,
    DailyBalance,
    Delivery,
    Listing,
    Message,
    Page,
    Proof,
    Receiver,
    RefusedOrigin,
    Submission,
    Tag,
    Token,
    UsedNonce,
    Wallet,
    WalletTag,
    Withdrawal,
)
from embed.db.snapshots import in_byte_order, reading_one_state, stream
from embed.errors import InvalidInput
from embed.maintenance.page_file import records
from embed.maintenance.page_file.lines import FORMAT, Header, Row, Trailer
from embed.maintenance.page_file.reading import decode_record, get_type
from embed.maintenance.page_file.values import to_json
from embed.pages import get_page

_BATCH = 500  # rows whose parts are read at once


@dataclass(frozen=True, slots=True)
class Exported:
    counts: dict[str, int]  # lines by type
    sha256: str  # of the whole file
    waiting: int  # messages that are on their way to a receiver, which the file has not


@dataclass(frozen=True, slots=True)
class _Selection:
    """The rows of one type of record, in the order of the file."""

    record: type[Row]
    condition: Any
    order: Sequence[Any]
    parts: "_Parts | None" = None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What belongs to a row of the selection, and is written with it."""

    attribute: str
    fields: dict[str, Field]
    parent: Field
    order: Sequence[Any]
    build: Callable[[list[dict[str, Any]]], Any]
    condition: Any = None


def export_page(page_id: str, file: IO[bytes]) -> Exported:
    """Write a page into a file, from one state of the database. Raises NotFound, InvalidInput."""
    counts: defaultdict[str, int] = defaultdict(int)
    digest = hashlib.sha256()

    def write(line: bytes) -> None:
        digest.update(line + b"\n")
        file.write(line + b"\n")

    with reading_one_state():
        page = get_page(page_id)
        write(msgspec.json.encode(Header(FORMAT)))
        for record in _read_records(page):
            line = msgspec.json.encode(record)
            _check_importable(line)
            write(line)
            counts[get_type(record)] += 1
        waiting = (
            Delivery.select()
            .join(Receiver)
            .where(Receiver.page == page, Delivery.state == "waiting")
        )
        count = waiting.count()
    write(msgspec.json.encode(Trailer(dict(counts), digest.hexdigest())))
    return Exported(dict(counts), digest.hexdigest(), count)


def _check_importable(line: bytes) -> None:
    """Notice now, not when the file is needed, what could not be imported. Raises InvalidInput."""
    try:
        decode_record(line)
    except ValueError as mistake:
        raise InvalidInput(f"The page holds a value that no file may have: {mistake}") from None


def _read_records(page: Page) -> Iterator[Row]:
    yield records.OwnerRecord(email=page.owner.email, language=page.owner.language)
    for selection in _list_selections(page):
        rows = _read(selection)
        while batch := list(islice(rows, _BATCH)):
            yield from _add_parts(selection, batch)


def _read(selection: _Selection) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each row's columns, with the primary key by which its parts are found."""
    model = selection.record.model
    fields = _find_columns(selection.record)
    key = model._meta.primary_key if selection.parts else Value(0)
    query = model.select(key, *fields.values()).where(selection.condition)
    for key, *stored in stream(query.order_by(*selection.order)):
        yield key, _convert(fields, stored)


def _find_columns(record: type[Row]) -> dict[str, Field]:
    known = record.model._meta.fields
    return {name: known[name] for name in record.__struct_fields__ if name in known}


def _convert(fields: dict[str, Field], stored: Iterable[Any]) -> dict[str, Any]:
    pairs = zip(fields.items(), stored, strict=True)
    return {name: to_json(field, value) for (name, field), value in pairs}


def _add_parts(selection: _Selection, batch: Sequence[tuple[Any, dict[str, Any]]]) -> Iterator[Row]:
    parts = selection.parts
    if parts is None:
        yield from (selection.record(**columns) for _, columns in batch)
        return
    query = parts.parent.model.select(parts.parent, *parts.fields.values())
    query = query.where(parts.parent.in_([key for key, _ in batch]), parts.condition or True)
    by_key: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for key, *stored in db.execute_sql(*query.order_by(*parts.order).sql()):
        by_key[key].append(_convert(parts.fields, stored))
    for key, columns in batch:
        yield selection.record(**columns, **{parts.attribute: parts.build(by_key[key])})


def _build_all(part: type[Row]) -> Callable[[list[dict[str, Any]]], list[Row]]:
    return lambda rows: [part(**row) for row in rows]


def _list_selections(page: Page) -> list[_Selection]:
    of_wallet = Wallet.select(Wallet.address).where(Wallet.page == page)
    of_visitor = Submission.select(Submission.wallet_address).where(Submission.page == page)

    def is_of_page(address: Field) -> Any:
        return address.in_(of_wallet) | address.in_(of_visitor)

    def by_time(model: Any) -> tuple[Any, ...]:
        return model.created_at, in_byte_order(model.id)

    is_finished = Delivery.state != "waiting"
    finished = Delivery.select(Value(1)).where(Delivery.message == Message.number, is_finished)
    return [
        _Selection(records.PageRecord, Page.id == page.id, ()),
        _Selection(records.TagRecord, Tag.page == page, by_time(Tag)),
        _Selection(
            records.KeyRecord,
            ApiKey.page == page,
            by_time(ApiKey),
            _Parts(
                "refused_origins",
                _find_columns(records.RefusedOriginPart),
                RefusedOrigin.api_key,
                [in_byte_order(RefusedOrigin.origin)],
                _build_all(records.RefusedOriginPart),
            ),
        ),
        _Selection(
            records.SubmissionRecord,
            Submission.page == page,
            by_time(Submission),
            _Parts(
                "proof",
                _find_columns(records.ProofPart),
                Proof.submission,
                (),
                lambda rows: records.ProofPart(**rows[0]) if rows else None,
            ),
        ),
        _Selection(
            records.WalletRecord,
            Wallet.page == page,
            by_time(Wallet),
            _Parts(
                "tag_ids",
                {"tag": WalletTag.tag},
                WalletTag.wallet,
                [in_byte_order(WalletTag.tag)],
                lambda rows: [row["tag"] for row in rows],
            ),
        ),
        _Selection(
            records.WithdrawalRecord,
            Withdrawal.page == page,
            (Withdrawal.withdrawn_at, in_byte_order(Withdrawal.submission_id)),
        ),
        _Selection(records.UsedNonceRecord, Value(True), [in_byte_order(UsedNonce.token)]),
        _Selection(records.ActivityRecord, Activity.page == page, by_time(Activity)),
        _Selection(
            records.ListingRecord,
            Listing.page == page,
            (Listing.joined_at, Listing.id),
        ),
        _Selection(records.ReceiverRecord, Receiver.page == page, by_time(Receiver)),
        _Selection(
            records.MessageRecord,
            (Message.page == page) & fn.EXISTS(finished),
            [Message.number],
            _Parts(
                "deliveries",
                _find_columns(records.DeliveryPart),
                Delivery.message,
                [in_byte_order(Delivery.receiver)],
                _build_all(records.DeliveryPart),
                is_finished,
            ),
        ),
        _Selection(records.TokenRecord, Token.mint == page.token_mint, ()),
        _Selection(
            records.BalanceRecord,
            (Balance.owner == page.owner_id)
            & (Balance.mint == page.token_mint)
            & is_of_page(Balance.address),
            [in_byte_order(Balance.address)],
        ),
        _Selection(
            records.ObservedBalanceRecord,
            (ChainBalance.mint == page.token_mint) & is_of_page(ChainBalance.address),
            [in_byte_order(ChainBalance.address)],
            _Parts(
                "days",
                _find_columns(records.DayPart),
                DailyBalance.balance,
                [DailyBalance.day],
                _build_all(records.DayPart),
            ),
        ),
    ]
