"""Choosing, changing and switching off a password, each of which ends all sessions."""

from datetime import datetime

from embed.db.connection import db
from embed.db.models import LinkedWallet, Passkey, Person, RecoveryCode, Session
from embed.domain.clients import Client
from embed.domain.passwords import (
    fingerprint,
    has_password,
    hash_password,
    make_switched_off,
)
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.people import sessions, ways_in
from embed.people.accounts import find_by_id, find_weakness_for


def choose_password(
    person_id: str,
    made_for: str,
    password: str,
    now: datetime,
    *,
    host: str,
    client: Client = account_log.UNKNOWN,
) -> Person:
    """Set a password by a one-time link, and delete all other ways in.

    `made_for` is the fingerprint of the current password, `host` the service's own, see
    find_weakness_for. Raises NotFound when the link was used already, InvalidInput for a bad
    password.
    """
    known = find_by_id(person_id)
    if known is None:
        raise NotFound(person_id)
    password_hash = _judge_and_hash(known, password, host)
    with db.atomic():
        # If two requests use one link at once, the second finds another password here.
        person = ways_in.lock_person_by_id(person_id)
        if fingerprint(person.password_hash) != made_for:
            raise NotFound("This link has already been used.")
        _clear_ways_in(person, now, client)
        account_log.store(person, "password changed", now, client)
        _replace(person, password_hash)
        sessions.end_all(person, now, client, kind="session ended by password")
    return person


def change_password(
    session: Session,
    password: str,
    now: datetime,
    *,
    host: str,
    client: Client = account_log.UNKNOWN,
) -> Person:
    """Set the password of a session's person, whose current one the caller has checked.

    Raises NotFound if the session has ended or the password has been changed since the session was
    read, InvalidInput for a bad password.
    """
    password_hash = _judge_and_hash(session.person, password, host)
    with db.atomic():
        person = ways_in.lock_person(session)
        if person.password_hash != session.person.password_hash:
            raise NotFound("The password has just been changed.")
        account_log.store(person, "password changed", now, client)
        _replace(person, password_hash)
        sessions.end_all(person, now, client, kind="session ended by password")
    return person


def switch_off(
    session: Session, now: datetime, *, host: str, client: Client = account_log.UNKNOWN
) -> Person:
    """Let no password sign a person in any more, where enough other ways in are left.

    `host` is that of passkeys. Raises NotFound if the session has ended, InvalidInput.
    """
    with db.atomic():
        person = ways_in.lock_person(session)
        if not has_password(person.password_hash):
            raise InvalidInput("Your password is off already.")
        if not ways_in.may_switch_password_off(person, host):
            raise InvalidInput(
                "Add two passkeys, or a passkey and recovery codes, before you switch the"
                " password off."
            )
        account_log.store(person, "password switched off", now, client)
        _replace(person, make_switched_off())
        sessions.end_all(person, now, client, kind="session ended by password off")
    return person


def _judge_and_hash(person: Person, password: str, host: str) -> str:
    """Return the hash, which takes long to compute: call it before a transaction."""
    password_hash = hash_password(password)
    if weakness := find_weakness_for(person, password, host):
        raise InvalidInput(weakness, field="password")
    return password_hash


def _replace(person: Person, password_hash: str) -> None:
    Person.update(password_hash=password_hash).where(Person.id == person.id).execute()
    person.password_hash = password_hash


def _clear_ways_in(person: Person, now: datetime, client: Client) -> None:
    passkeys = Passkey.delete().where(Passkey.person == person).execute()
    wallets = LinkedWallet.delete().where(LinkedWallet.person == person).execute()
    codes = RecoveryCode.delete().where(RecoveryCode.person == person).execute()
    if passkeys or wallets or codes:
        removed = {"passkeys": passkeys, "wallets": wallets, "codes": codes}
        account_log.store(person, "ways in removed by link", now, client, **removed)
