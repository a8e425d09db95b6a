"""Lists and counts of submissions: the visitor's own, and the owner's queue."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import Any

from peewee import SQL, Value, fn

from embed.db.connection import db
from embed.db.folded import matches
from embed.db.models import STATUSES, Activity, Block, Page, Submission, Withdrawal
from embed.db.pagination import Cursor, Slice, make_slice, merge_rows, read_rows
from embed.db.statements import Parameter, Statement, read_model
from embed.domain.folding import parse_search
from embed.events.kinds import read_facts
from embed.pages import get_page

MAX_LISTED = 50  # docs/api.md, List own submissions
SLICE_SIZE = 40
MAX_NEW = 100
MAX_CHANGED = 1000  # by one decision
MAX_UNDOABLE = 10  # decisions, each on one or on many submissions

_DAY_MS = SQL("86400000")  # not a parameter: Postgres must see that both expressions are equal
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def list_of_session(page_id: str, session_id: str | None) -> list[Submission]:
    """Return the visitor's own submissions, newest first, at most 50; none without a session."""
    if session_id is None:
        return []
    rows = _LIST_OF_SESSION.execute(page_id=page_id, session_id=session_id).fetchall()
    return [read_model(Submission, row) for row in rows]


def list_without_session(page_id: str, submission_ids: Sequence[str]) -> list[Submission]:
    """Return these submissions of the page, if they were sent without a session: newest first."""
    query = Submission.select().where(
        Submission.id.in_(submission_ids),
        Submission.page == page_id,
        Submission.session_id.is_null(),
    )
    return list(query.order_by(Submission.created_at.desc(), Submission.id.desc()))


_LIST_OF_SESSION = Statement(
    Submission.select()
    .where(
        Submission.page == Parameter("page_id"),
        Submission.session_id == Parameter("session_id"),
    )
    .order_by(Submission.created_at.desc(), Submission.id.desc())
    .limit(MAX_LISTED)
)


def list_by_status(
    page: Page,
    statuses: Iterable[str],
    *conditions: Any,
    limit: int,
    after: Cursor | None = None,
    is_oldest_first: bool = False,
) -> list[Submission]:
    """Return the page's submissions with these statuses, sorted by when they were sent."""
    # One statement per status: for several at once, databases would sort all rows.
    lists = [
        read_rows(
            Submission,
            Submission.page == page,
            Submission.status == status,
            *conditions,
            limit=limit,
            after=after,
            is_oldest_first=is_oldest_first,
        )
        for status in statuses
    ]
    return merge_rows(lists, limit=limit, is_oldest_first=is_oldest_first)


def count_by_status(page: Page) -> Counter[str]:
    """Return the number of the page's submissions by status."""
    counts = Submission.select(Submission.status, fn.COUNT(1)).where(Submission.page == page)
    rows: Any = counts.group_by(Submission.status).tuples()
    return Counter(dict(rows))


def count_waiting(page: Page) -> int:
    """Return how many of the page's submissions are pending."""
    return int(Submission.select(fn.COUNT(1)).where(*is_waiting(page)).scalar())


def list_waiting_since(page: Page, since: datetime) -> list[str]:
    """Return the ids of pending submissions sent since then, newest first, at most 100."""
    rows = (
        Submission.select(Submission.id)
        .where(*is_waiting(page), Submission.created_at >= since)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(MAX_NEW)
    )
    return [one.id for one in rows]


def count_withdrawn(page: Page, since: datetime) -> int:
    """Return how many submissions were withdrawn since then by their wallets' holders."""
    query = Withdrawal.select().where(Withdrawal.page == page, Withdrawal.withdrawn_at >= since)
    return int(query.count())


def is_waiting(page: Any) -> tuple[Any, ...]:
    return Submission.page == page, Submission.status == "pending"


def list_of_page(
    page_id: str, *, status: str | None = None, limit: int = MAX_LISTED
) -> list[Submission]:
    """Return the page's submissions, newest first. Raises NotFound."""
    page = get_page(page_id)
    return list_by_status(page, STATUSES if status is None else [status], limit=limit)


def read_queue(
    page: Page,
    statuses: Sequence[str],
    text: str,
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    after: Cursor | None,
    is_oldest_first: bool,
) -> Slice[Submission]:
    """Return a slice of the page's submissions with these statuses, sorted by when they were sent.

    If `text` is not empty, it must match the name or address, or begin the visitor's id. `only` and
    `without` are ids, if given.
    """
    chosen = [Submission.id.in_(only)] if only else []
    chosen += [Submission.id.not_in(without)] if without else []
    found, search = Submission.session_id.startswith(text), parse_search(text)
    if search is not None:
        found |= matches(Submission.folded, search)
    rows = list_by_status(
        page,
        statuses,
        *([found] if text else []),
        *chosen,
        limit=SLICE_SIZE + 1,
        after=after,
        is_oldest_first=is_oldest_first,
    )
    return make_slice(rows, SLICE_SIZE)


def list_undoable(page: Page, actor: str, since: datetime) -> list[list[Submission]]:
    """Return the actor's latest decisions since then, newest first, each as its submissions.

    Each submission's `has_blocked` says whether its rejection also blocked the wallet.
    """
    entries = read_rows(
        Activity,
        Activity.page == page,
        Activity.created_at >= since,
        Activity.actor == actor,
        Activity.action.in_(("approve submission", "reject submission")),
        limit=MAX_UNDOABLE * MAX_CHANGED,
    )
    own = {(f"{read_facts(one.data).get('id')}", one.created_at) for one in entries}
    if not own:
        return []
    ids = {submission_id for submission_id, _ in own}
    made = Block.select(Value(1)).where(Block.submission == Submission.id)
    rows = Submission.select(Submission, fn.EXISTS(made).alias("has_blocked")).where(
        Submission.page == page, Submission.id.in_(ids), Submission.decided_at >= since
    )
    decisions: defaultdict[tuple[datetime | None, str], list[Submission]] = defaultdict(list)
    for submission in rows.order_by(Submission.decided_at.desc(), Submission.id):
        if (submission.id, submission.decided_at) in own:  # nobody else has decided since
            decisions[submission.decided_at, submission.status].append(submission)
    return list(decisions.values())[:MAX_UNDOABLE]


def find_decider(submission: Submission) -> str | None:
    """Return who decided on a submission by hand, according to the log; None if it doesn't say."""
    entries = read_rows(
        Activity,
        Activity.page == submission.page_id,
        Activity.address == submission.wallet_address,
        Activity.created_at == submission.decided_at,
        Activity.action.in_(("approve submission", "reject submission")),
        limit=MAX_CHANGED,
    )
    deciders = (one.actor for one in entries if read_facts(one.data).get("id") == submission.id)
    return next(deciders, None)


def count_by_day(page: Page, since: datetime) -> dict[date, Counter[str]]:
    """Return the page's submissions since then by day (UTC) and status; empty days are absent."""
    day_number = Submission.created_at / _DAY_MS
    query = (
        Submission.select(day_number, Submission.status, fn.COUNT(1))
        .where(
            Submission.page == page,
            Submission.status.in_(STATUSES),  # so that the index is used
            Submission.created_at >= since,
        )
        .group_by(day_number, Submission.status)
    )
    by_day: defaultdict[date, Counter[str]] = defaultdict(Counter)
    rows: Any = db.execute(query)
    for number, status, count in rows:
        by_day[date.fromordinal(_EPOCH_ORDINAL + number)][status] = count
    return dict(by_day)
