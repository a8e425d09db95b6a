"""Where people are signed in: a session is a row, and its cookie holds an id and a secret."""

import hmac
import re
from datetime import datetime, timedelta
from typing import Any

from embed.db.batches import delete_in_batches
from embed.db.connection import best_effort, db, lock_rows
from embed.db.models import Person, Session
from embed.domain.identifiers import ID_LENGTH, hash_key, make_token
from embed.errors import NotFound
from embed.events import account_log
from embed.events.editing import Change
from embed.people import accounts

IDLE_FOR = timedelta(days=14)  # at most, between two visits
LONGEST = timedelta(days=90)  # however often it is used
CONFIRMED_FOR = timedelta(minutes=30)
SEEN_STORED_EVERY = timedelta(hours=1)
_SECRET_LENGTH = 32
_CREDENTIAL = re.compile(rf"([0-9A-Za-z]{{{ID_LENGTH}}})\.([0-9A-Za-z]{{{_SECRET_LENGTH}}})")


def begin(
    person: Person, change: Change, *, kind: str = "signed in", **facts: object
) -> tuple[Session, str] | None:
    """Begin a session, and return it with its credential, which is stored only as a hash.

    `kind` and `facts` go into the account's log.
    None if the person was removed or changed their password since `person` was read: someone
    who signs in while the password changes must not stay signed in with the old one.
    """
    secret = make_token(_SECRET_LENGTH)
    with db.atomic():
        known = _hold_person(person.id)
        if known is None or known.password_hash != person.password_hash:
            return None
        session = Session.create(
            person=known,
            secret_hash=hash_key(secret),
            created_at=change.now,
            seen_at=change.now,
            confirmed_at=change.now,
            browser=change.client.browser,
            system=change.client.system,
            network=change.client.network,
        )
        account_log.store(known, kind, change.now, change.client, **facts)
    return session, f"{session.id}.{secret}"


def _hold_person(person_id: str) -> Person | None:
    """Read a person and keep their password from changing until the transaction ends."""
    query = Person.select().where(Person.id == person_id)
    found: Person | None = lock_rows(query, "FOR SHARE").get_or_none()
    return found


def lock_person(session: Session) -> Person:
    """Read the person of a session, as `accounts.lock_person` does.

    Raises NotFound if the session has ended, such as by a change of password.
    """
    person = accounts.lock_person(session.person_id)
    if not Session.select().where(Session.id == session.id).exists():
        raise NotFound(session.id)
    return person


def find(raw_credential: str, now: datetime) -> Session | None:
    """Return the session with its person, read by one statement; None if it has ended."""
    parts = _CREDENTIAL.fullmatch(raw_credential)
    if parts is None:
        return None
    session_id, secret = parts.groups()
    with_person = Session.select(Session, Person).join(Person)
    found: Session | None = with_person.where(Session.id == session_id).get_or_none()
    if found is None:
        return None
    is_right = hmac.compare_digest(found.secret_hash, hash_key(secret))
    return found if is_right and not _is_over(found, now) else None


def store_visit(session: Session, now: datetime) -> bool:
    """Store when a session was last seen, at most once an hour to save writes; False if earlier."""
    if now - session.seen_at < SEEN_STORED_EVERY:
        return False
    with best_effort(), db.atomic():
        Session.update(seen_at=now).where(Session.id == session.id).execute()
    return True


def is_confirmed(session: Session, now: datetime) -> bool:
    """Tell whether the person has confirmed their identity within CONFIRMED_FOR."""
    age: timedelta = now - session.confirmed_at
    return age <= CONFIRMED_FOR


def confirm(session: Session, now: datetime) -> str | None:
    """Store that the person confirmed their identity; return the session's new credential.

    Copies of the earlier one stop working, so nobody who has one can wait for the person to
    confirm. None if the session has ended or already has another credential.
    """
    secret = make_token(_SECRET_LENGTH)
    found = (Session.id == session.id) & (Session.secret_hash == session.secret_hash)
    changed = Session.update(secret_hash=hash_key(secret), confirmed_at=now).where(found)
    return f"{session.id}.{secret}" if changed.execute() else None


def list_sessions(person: Person, now: datetime) -> list[Session]:
    """Return a person's sessions, the last seen first."""
    query = Session.select().where(Session.person == person, ~_is_over(Session, now))
    return list(query.order_by(Session.seen_at.desc(), Session.id))


def end(person: Person, session_id: str, change: Change, *, kind: str = "session ended") -> bool:
    """End a session of a person; False if there is none. `kind` goes into the account's log."""
    return bool(_end(person, Session.id == session_id, change, kind))


def end_others(session: Session, change: Change) -> int:
    """End all other sessions of a session's person; return how many."""
    return _end(session.person, Session.id != session.id, change, "session ended")


def end_all(person: Person, change: Change, *, kind: str = "session ended by operator") -> int:
    """End all sessions of a person; return how many. `kind` goes into the account's log."""
    return _end(person, Session.person == person, change, kind)


def _end(person: Person, which: Any, change: Change, kind: str) -> int:
    with db.atomic():
        _hold_person(person.id)  # before the sessions, as when a person is removed
        ended = int(Session.delete().where(Session.person == person, which).execute())
        if ended:
            account_log.store(person, kind, change.now, change.client, count=ended)
    return ended


def prune(now: datetime) -> int:
    """Delete sessions that have ended; return how many."""
    return delete_in_batches(Session.id, _is_over(Session, now))


def _is_over(session: Any, now: datetime) -> Any:
    """Tell whether a session has ended; for the model, return the condition."""
    return (session.seen_at < now - IDLE_FOR) | (session.created_at < now - LONGEST)
