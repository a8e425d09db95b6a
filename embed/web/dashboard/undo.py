"""The latest decisions, which can still be undone, stored in the owner's session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import session

from embed.db.models import Submission
from embed.domain.times import from_ms, to_ms

OFFERED_FOR = timedelta(seconds=10)
# The session is a cookie, which browsers limit to 4 KB.
MAX_IDS = 100

_KEY = "decided"
Stored = tuple[str, str, int, list[str], str]  # the fields of Undoable, with the time in ms


@dataclass(frozen=True, slots=True)
class Undoable:
    """A decision that the owner made a moment ago."""

    page_id: str
    decision: str
    decided_at: datetime
    ids: list[str]
    nickname: str

    def count_remaining_ms(self, now: datetime) -> int:
        return max(0, (self.decided_at + OFFERED_FOR - now) // timedelta(milliseconds=1))


def remember(page_id: str, decision: str, decided: Sequence[Submission], now: datetime) -> None:
    if not decided:
        return
    ids = [submission.id for submission in decided]
    latest = Undoable(page_id, decision, now, ids, decided[0].nickname)
    stored: list[Undoable] = []
    for one in [latest, *_read(now)]:
        if sum(len(other.ids) for other in stored) + len(one.ids) <= MAX_IDS:
            stored.append(one)
    _write(stored)


def forget(ids: Sequence[str], now: datetime) -> None:
    """Remove the decisions on these submissions."""
    _write([one for one in _read(now) if not set(ids) & set(one.ids)])


def find_latest(page_id: str, now: datetime) -> Undoable | None:
    return next((one for one in _read(now) if one.page_id == page_id), None)


def _read(now: datetime) -> list[Undoable]:
    stored = [
        Undoable(page_id, decision, from_ms(at_ms), ids, nickname)
        for page_id, decision, at_ms, ids, nickname in session.get(_KEY, [])
    ]
    return [one for one in stored if one.count_remaining_ms(now)]


def _write(undoable: Sequence[Undoable]) -> None:
    session[_KEY] = [
        (one.page_id, one.decision, to_ms(one.decided_at), one.ids, one.nickname)
        for one in undoable
    ]
