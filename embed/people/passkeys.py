"""People's passkeys: adding and removing them, signing in and confirming with them."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from embed.db.connection import db
from embed.db.constraints import translate_unique_violations
from embed.db.models import Passkey, Person, Session
from embed.db.used_nonces import AlreadyUsed, use_nonce
from embed.domain import passkeys
from embed.domain.passkeys import (
    ADD,
    CONFIRM,
    LATE,
    SIGN_IN,
    Answer,
    RefusedPasskey,
    RelyingParty,
)
from embed.domain.signing import Signer
from embed.domain.texts import gettext_noop, parse_text
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.events.editing import Change
from embed.people import sessions
from embed.people.accounts import lock_person

MAX_PASSKEYS = 20  # of a person
MAX_NAME_LENGTH = 50
_UNKNOWN = gettext_noop("This service doesn't know this passkey, or it was removed.")
_COPIED = gettext_noop(
    "This passkey was refused because it may have been copied. Sign in another way and remove it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceremony:
    """Where a passkey is made or used, and from which browser."""

    party: RelyingParty
    signer: Signer
    change: Change


def list_passkeys(person: Person) -> list[Passkey]:
    """Return all of a person's passkeys, even for the service's earlier hosts; oldest first."""
    return list(
        Passkey.select().where(Passkey.person == person).order_by(Passkey.created_at, Passkey.id)
    )


def add(session: Session, raw_name: str, raw_answer: str, ceremony: Ceremony) -> Passkey:
    """Store a passkey that a session's person has made. Raises InvalidInput."""
    name = parse_text(raw_name, gettext_noop("name"), field="name", max_length=MAX_NAME_LENGTH)
    taken = InvalidInput("This passkey has already been added.")
    answer = passkeys.read_answer(raw_answer)
    new = passkeys.read_registration(answer, ceremony.party)
    with translate_unique_violations({"passkey_credential_id": taken}), db.atomic():
        person = sessions.lock_person(session)
        _use_challenge(answer, ceremony, ADD, session.id)
        if Passkey.select().where(Passkey.person == person).count() >= MAX_PASSKEYS:
            raise InvalidInput(
                "You already have %(max)s passkeys, the maximum. Remove one first.",
                max=MAX_PASSKEYS,
            )
        account_log.store(
            person, "passkey added", ceremony.change.now, ceremony.change.client, name=name
        )
        return Passkey.create(
            person=person,
            name=name,
            credential_id=new.credential_id,
            credential=new.credential,
            host=ceremony.party.host,
            sign_count=new.sign_count,
            created_at=ceremony.change.now,
        )


def remove(session: Session, passkey_id: str, change: Change) -> None:
    """Raises NotFound unless it is a passkey of the session's person."""
    with db.atomic():
        person = sessions.lock_person(session)
        found = Passkey.get_or_none(Passkey.id == passkey_id, Passkey.person == person)
        if found is None:
            raise NotFound(passkey_id)
        account_log.store(person, "passkey removed", change.now, change.client, name=found.name)
        found.delete_instance()


def sign_in(raw_answer: str, ceremony: Ceremony) -> tuple[Session, str]:
    """Begin a session of the person with this passkey, as sessions.begin does.

    Raises InvalidInput.
    """
    used = _verify(raw_answer, ceremony, None)
    with db.atomic():
        is_copied, begun = not _count_use(used, ceremony, SIGN_IN, ""), None
        if not is_copied:
            begun = sessions.begin(
                used.passkey.person,
                ceremony.change,
                kind="signed in with passkey",
                name=used.passkey.name,
            )
    if is_copied:
        raise InvalidInput(_COPIED)
    if begun is None:  # the password has just been changed
        raise InvalidInput(_UNKNOWN)
    return begun


def confirm(session: Session, raw_answer: str, ceremony: Ceremony) -> None:
    """Verify that a session's person has used one of their passkeys. Raises InvalidInput."""
    used = _verify(raw_answer, ceremony, session)
    with db.atomic():
        is_copied = not _count_use(used, ceremony, CONFIRM, session.id)
    if is_copied:
        raise InvalidInput(_COPIED)


@dataclass(frozen=True, slots=True)
class _Used:
    """A use of a passkey, verified except for whose challenge it has."""

    passkey: Passkey
    answer: Answer
    sign_count: int


def _verify(raw_answer: str, ceremony: Ceremony, session: Session | None) -> _Used:
    answer = passkeys.read_answer(raw_answer)
    known = _find(answer, ceremony.party, session)
    sign_count = passkeys.verify_assertion(
        answer,
        ceremony.party,
        credential=known.credential,
        person_id=known.person_id,
        needs_handle=session is None,
    )
    return _Used(known, answer, sign_count)


def _lock_person_of(passkey: Passkey) -> None:
    """Raises InvalidInput if the passkey has been removed since it was read."""
    with suppress(NotFound):
        lock_person(passkey.person_id)
        if Passkey.select().where(Passkey.id == passkey.id).exists():
            return
    raise InvalidInput(_UNKNOWN)


def _find(answer: Answer, party: RelyingParty, session: Session | None) -> Passkey:
    query = Passkey.select(Passkey, Person).join(Person)
    query = query.where(Passkey.credential_id == answer.credential_id, Passkey.host == party.host)
    if session is not None:
        query = query.where(Passkey.person == session.person)
    found: Passkey | None = query.get_or_none()
    if found is None:
        raise InvalidInput(_UNKNOWN)
    return found


def _count_use(used: _Used, ceremony: Ceremony, purpose: str, session_id: str) -> bool:
    """Store a use, in a transaction; the passkey can't change until it ends.

    Returns False, with a line in the account's log, if a passkey that counts its uses didn't count
    this one: there's a copy (https://www.w3.org/TR/webauthn-3/#sctn-sign-counter).
    Raises InvalidInput.
    """
    passkey, now = used.passkey, ceremony.change.now
    _lock_person_of(passkey)
    _use_challenge(used.answer, ceremony, purpose, session_id)
    is_new: Any = Passkey.sign_count < used.sign_count
    if used.sign_count == 0:
        is_new = Passkey.sign_count == 0
    counted = Passkey.update(sign_count=used.sign_count, used_at=now)
    if counted.where(Passkey.id == passkey.id, is_new).execute():
        return True
    account_log.store(
        passkey.person, "passkey refused", now, ceremony.change.client, name=passkey.name
    )
    return False


def _use_challenge(answer: Answer, ceremony: Ceremony, purpose: str, session_id: str) -> None:
    challenge = passkeys.check_challenge(answer.challenge, ceremony.signer, purpose, session_id)
    try:
        use_nonce(*challenge)
    except AlreadyUsed as error:
        raise RefusedPasskey("the challenge was used before", LATE) from error
