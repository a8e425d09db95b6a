"""Whether the records of a page's file belong together."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import UNSET

from embed.db.models import APPROVED
from embed.maintenance.page_file.lines import Row
from embed.maintenance.page_file.records import (
    BalanceRecord,
    KeyRecord,
    MessageRecord,
    ObservedBalanceRecord,
    OwnerRecord,
    PageRecord,
    ReceiverRecord,
    SubmissionRecord,
    TagRecord,
    TokenRecord,
    UsedNonceRecord,
    WalletRecord,
)


class References:
    """Remembers what later lines refer to: tags, keys, receivers and approved submissions."""

    def __init__(self) -> None:
        self._count = 0
        self._ids: defaultdict[type[Row], set[str]] = defaultdict(set)
        self._approved: dict[str, str] = {}  # the addresses of these submissions, by id
        self._last: dict[type[Row], str] = {}

    def check(self, record: Row) -> None:
        """Raises ValueError with what is wrong with this record at this place."""
        self._check_place(record)
        match record:
            case TagRecord() | KeyRecord() | ReceiverRecord():
                self._ids[type(record)].add(record.id)
            case WalletRecord():
                self._check_known(TagRecord, record.tag_ids, "tag")
                self._check_submission(record)
            case SubmissionRecord():
                self._check_known(KeyRecord, [record.api_key], "key")
                if record.status in APPROVED:
                    self._approved[record.id] = record.wallet_address
            case MessageRecord():
                receivers = [one.receiver for one in record.deliveries]
                self._check_known(ReceiverRecord, receivers, "receiver")
            case UsedNonceRecord():
                self._check_order(record, record.token)
            case BalanceRecord() | ObservedBalanceRecord():
                self._check_order(record, record.address)
            case TokenRecord():
                self._check_order(record, "")

    def check_end(self) -> None:
        """Raises ValueError if the file holds no page."""
        if self._count < 2:
            raise ValueError("there is no page before the trailer.")

    def _check_place(self, record: Row) -> None:
        self._count += 1
        if (self._count == 1) != isinstance(record, OwnerRecord):
            raise ValueError("the second line, and no other, is the owner.")
        if (self._count == 2) != isinstance(record, PageRecord):
            raise ValueError("the third line, and no other, is the page.")

    def _check_known(self, kind: type[Row], ids: Iterable[str], name: str) -> None:
        seen = set()
        for each in ids:
            if each not in self._ids[kind]:
                raise ValueError(f"no line before this one has the {name} {each}.")
            if each in seen:
                raise ValueError(f"the {name} {each} is named twice.")
            seen.add(each)

    def _check_submission(self, record: WalletRecord) -> None:
        if record.submission in (None, UNSET):
            return
        if self._approved.pop(record.submission, None) != record.address:
            raise ValueError(
                f"no line before this one is its approved submission {record.submission}."
            )
        if record.is_withdrawn:
            raise ValueError("A wallet that is withdrawn has no submissionId.")

    def _check_order(self, record: Row, key: str) -> None:
        """Records that other pages share may be there already, so the database finds no twin."""
        last = self._last.get(type(record))
        if last is not None and key <= last:
            raise ValueError("twice in the file, or not in the order of the texts' bytes.")
        self._last[type(record)] = key
