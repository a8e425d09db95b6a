"""Who did what when, and submissions over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from flask import request
from flask.typing import ResponseReturnValue

from embed.db.pagination import Cursor
from embed.events import activity_log
from embed.submissions import queries
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import get_own_page
from embed.web.dashboard.responses import render

DAYS = 30
# Every outcome, from the foot of a bar to its top.
STACK = ("approved", "auto_approved", "pending", "rejected", "soft_rejected")
# In the drawing's own units.
LONGEST_DAY, LONGEST_TOTAL = 100, 600


@dataclass(frozen=True, slots=True)
class Block:
    """One outcome's share of a bar."""

    status: str
    start: float  # from the bar's foot
    size: float


@dataclass(frozen=True, slots=True)
class Bar:
    day: date | None
    counts: Counter[str]
    blocks: list[Block]


@blueprint.get("/pages/<page_id>/activity")
def show_activity(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    after = Cursor.parse(request.args.get("after"))
    today = runtime().clock().date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    by_day = queries.count_by_day(page, datetime.combine(days[0], time(), UTC))
    totals = queries.count_by_status(page)
    return render(
        "activity.html",
        page=page,
        after=after,
        log=activity_log.read_log(page.id, after=after),
        stack=STACK,
        bars=draw_days(days, by_day),
        most=max((counts.total() for counts in by_day.values()), default=0),
        totals=draw_bar(totals, LONGEST_TOTAL, totals.total()),
    )


def draw_days(days: Sequence[date], by_day: Mapping[date, Counter[str]]) -> list[Bar]:
    """Return a bar for every day; the tallest is as long as there is room."""
    most = max((by_day[day].total() for day in days if day in by_day), default=0)
    return [draw_bar(by_day.get(day, Counter()), LONGEST_DAY, most, day) for day in days]


def draw_bar(counts: Counter[str], length: int, most: int, day: date | None = None) -> Bar:
    """Return a bar of which `most` fill the whole length."""
    blocks: list[Block] = []
    start = 0.0
    for status in STACK:
        if counts[status]:
            size = counts[status] * length / most
            blocks.append(Block(status, round(start, 2), round(size, 2)))
            start += size
    return Bar(day, counts, blocks)
