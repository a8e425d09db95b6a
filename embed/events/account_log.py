"""A person's account log: what happened with the account, for that person to read."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from peewee import Value, fn

from embed.db.batches import delete_in_batches
from embed.db.connection import best_effort, db, lock_rows
from embed.db.models import AccountEvent, Person
from embed.db.pagination import Cursor, Slice, make_slice, read_rows
from embed.domain.clients import UNKNOWN, Client
from embed.domain.identifiers import make_id
from embed.domain.roles import NAME_BY_ROLE
from embed.domain.texts import gettext_noop, isolate
from embed.domain.times import to_ms
from embed.serializers import write_json

# Every kind, in up to 30 letters, with its sentence for the person: translated where it is shown.
SENTENCE_BY_KIND: Mapping[str, str] = {
    "signed in": gettext_noop("You signed in"),
    "signed in with passkey": gettext_noop("You signed in with the passkey %(name)s"),
    "signed out": gettext_noop("You signed out"),
    "sign-in failed": gettext_noop("Someone tried to sign in with a wrong password"),
    "confirmation failed": gettext_noop("Someone who was signed in entered a wrong password"),
    "passkey added": gettext_noop("The passkey %(name)s was added"),
    "passkey removed": gettext_noop("The passkey %(name)s was removed"),
    "passkey refused": gettext_noop("The passkey %(name)s was refused: it may have been copied"),
    "password changed": gettext_noop("The password was changed"),
    "passkeys removed by link": gettext_noop(
        "A password was set with the operator's link, which removed passkeys: %(count)s"
    ),
    "session ended": gettext_noop("You signed out other browsers: %(count)s"),
    "session ended by operator": gettext_noop("The operator signed out all browsers: %(count)s"),
    "session ended by password": gettext_noop(
        "The new password signed out all browsers: %(count)s"
    ),
    "invited": gettext_noop("%(actor)s invited you to the page %(page)s. Your role: %(role)s."),
    "role changed": gettext_noop("%(actor)s changed your role on the page %(page)s: %(role)s"),
    "removed from a page": gettext_noop("%(actor)s removed you from the page %(page)s"),
    "left a page": gettext_noop("You left the page %(page)s"),
    "page taken over": gettext_noop("The page %(page)s now belongs to you"),
    "block added": gettext_noop("On all your pages, %(pattern)s is blocked"),
    "block removed": gettext_noop("On all your pages, %(pattern)s is no longer blocked"),
    "page handed over": gettext_noop("The page %(page)s now belongs to %(owner)s"),
}

KEPT_FOR = timedelta(days=180)
# A failure is stored once per kind, network and hour, and only MOST_FAILURES a day, so that they
# can't fill the table.
FAILURES = ("sign-in failed", "confirmation failed")
SIGN_INS = ("signed in", "signed in with passkey")
FAILURE_STORED_EVERY = timedelta(hours=1)
MOST_FAILURES = 20
_DAY = timedelta(days=1)


def store(
    person: Person, kind: str, now: datetime, client: Client = UNKNOWN, **facts: object
) -> None:
    """Store what happened, in the transaction that makes the change.

    Call this before locking rows that refer to the person: removing a person locks those later.
    Nothing is stored for a person who has just been removed.
    """
    _insert(Person.id == person.id, kind, now, client, facts)


def store_failure(email: str, now: datetime, client: Client, kind: str) -> None:
    """Store a failed sign-in or answer to "Is it you?", by normalized email address.

    Takes one statement whether or not the account exists, and logs it if it can't be stored.
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


def has_signed_in(email: str, network: str | None, now: datetime) -> bool:
    """Tell whether a person, by normalized email address, has signed in from a network.

    Looks as far back as the log goes.
    """
    events = AccountEvent.select().join(Person).where(Person.email == email)
    return events.where(
        AccountEvent.kind.in_(SIGN_INS),
        AccountEvent.network == network,
        AccountEvent.created_at > now - KEPT_FOR,
    ).exists()


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


def write_sentence(kind: str, facts: Mapping[str, Any], gettext: Callable[[str], str] = str) -> str:
    """Say what happened, in the language of `gettext`.

    A kind that this version doesn't know is shown by its name.
    """
    texts = {
        name: isolate(value) if isinstance(value, str) else value for name, value in facts.items()
    }
    if role := NAME_BY_ROLE.get(f"{facts.get('role')}"):
        texts["role"] = gettext(role)
    sentence = SENTENCE_BY_KIND.get(kind)
    try:
        return gettext(sentence) % texts if sentence else kind.capitalize()
    except KeyError:
        return kind.capitalize()
