"""What happened with a person's account, for that person to read."""

from datetime import datetime, timedelta
from typing import Any

from peewee import Value, fn

from embed.db.batches import delete_in_batches
from embed.db.connection import best_effort, db, lock_rows
from embed.db.models import AccountEvent, Person
from embed.db.pagination import Cursor, Slice, make_slice, read_rows
from embed.domain.account_events import SENTENCE_BY_KIND
from embed.domain.clients import Client
from embed.domain.identifiers import make_id
from embed.domain.times import to_ms
from embed.serializers import write_json

KEPT_FOR = timedelta(days=180)
UNKNOWN = Client()
# Failures are stored once per kind, network and hour, and so many of a day, lest they fill the
# table.
FAILURES = ("sign-in failed", "confirmation failed")
FAILURE_STORED_EVERY = timedelta(hours=1)
MOST_FAILURES = 20
_DAY = timedelta(days=1)


def store(
    person: Person, kind: str, now: datetime, client: Client = UNKNOWN, **facts: object
) -> None:
    """Store what happened, in the transaction that changes something.

    Call this before rows that refer to the person are locked: removing a person locks these
    later. Nothing is stored of a person who has just been removed.
    """
    _insert(Person.id == person.id, kind, now, client, facts)


def store_failure(email: str, now: datetime, client: Client, kind: str) -> None:
    """Store a failure to sign in or to answer "Is it you?", for their normalized e-mail address.

    It is one statement whether or not there is such an account, and logs if it cannot be stored.
    """
    failed = AccountEvent.alias()
    of_person = failed.select().where(failed.person == Person.id, failed.kind.in_(FAILURES))
    lately = of_person.where(
        failed.kind == kind,
        failed.network == client.network,
        failed.created_at > now - FAILURE_STORED_EVERY,
    )
    today = of_person.where(failed.created_at > now - _DAY)
    may_store = ~fn.EXISTS(lately) & (today.select(fn.COUNT(failed.id)) < MOST_FAILURES)
    with best_effort(), db.atomic():
        _insert((Person.email == email) & may_store, kind, now, client, {})


def _insert(whose: Any, kind: str, now: datetime, client: Client, facts: dict[str, object]) -> None:
    if kind not in SENTENCE_BY_KIND:
        raise ValueError(kind)
    named = {"browser": client.browser, "system": client.system}
    data = facts | {name: value for name, value in named.items() if value is not None}
    row = {
        AccountEvent.id: make_id(),
        AccountEvent.created_at: to_ms(now),
        AccountEvent.kind: kind,
        AccountEvent.data: write_json(data, is_compact=True).decode(),
        AccountEvent.network: client.network,
    }
    values = [Value(value, converter=False) for value in row.values()]
    query = Person.select(Person.id, *values).where(whose)
    people = lock_rows(query, "FOR KEY SHARE")  # as the foreign key does
    AccountEvent.insert_from(people, [AccountEvent.person, *row]).execute()


def list_events(person: Person, size: int, after: Cursor | None = None) -> Slice[AccountEvent]:
    """Return what happened with an account, newest first."""
    rows = read_rows(AccountEvent, AccountEvent.person == person, limit=size + 1, after=after)
    return make_slice(rows, size)


def prune(now: datetime) -> int:
    """Delete what is too old; return how many."""
    return delete_in_batches(AccountEvent.id, AccountEvent.created_at < now - KEPT_FOR)
