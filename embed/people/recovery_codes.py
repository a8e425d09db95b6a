"""Recovery codes, each of which signs a person in once."""

from datetime import datetime

from embed.db.connection import db, lock_rows
from embed.db.models import Person, RecoveryCode, Session
from embed.db.used_nonces import use_nonce
from embed.domain.clients import Client
from embed.domain.identifiers import make_id
from embed.domain.recovery_codes import Offer, OfferSigner, hash_code
from embed.errors import ApiError, InvalidInput
from embed.events import account_log
from embed.people import sessions, ways_in
from embed.people.accounts import normalise_email

_OVER = "These codes do not count any more. Make new ones."


def count_left(person: Person) -> int:
    return int(RecoveryCode.select().where(RecoveryCode.person == person).count())


def read_offer(session: Session, raw: str, offers: OfferSigner) -> Offer:
    """Return new codes that a session was shown. Raises InvalidInput."""
    try:
        return offers.unsign(raw, session.id)
    except ValueError:
        raise InvalidInput(_OVER) from None


def keep(
    session: Session,
    offer: Offer,
    raw_code: str,
    now: datetime,
    client: Client = account_log.UNKNOWN,
) -> None:
    """Let new codes take the place of all earlier ones, once the person has typed one of them in.

    Raises NotFound if the session has ended, InvalidInput.
    """
    if hash_code(raw_code) not in offer.hashes:
        raise InvalidInput("This is none of the new codes.", field="code")
    with db.atomic():
        person = ways_in.lock_person(session)
        try:
            use_nonce(offer.token, offer.expires_at)
        except ApiError:
            raise InvalidInput(_OVER) from None
        account_log.store(person, "recovery codes made", now, client, count=len(offer.hashes))
        RecoveryCode.delete().where(RecoveryCode.person == person).execute()
        RecoveryCode.insert_many(
            {"id": make_id(), "person": person, "code_hash": code_hash, "created_at": now}
            for code_hash in offer.hashes
        ).execute()


def sign_in(
    raw_email: str, raw_code: str, now: datetime, client: Client = account_log.UNKNOWN
) -> tuple[Session, str, int] | None:
    """Begin a session as sessions.begin does; return how many codes are left, too.

    None if the code is not the person's, or was used.
    """
    with db.atomic():
        used = use(raw_email, raw_code)
        if used is None:
            return None
        person, left = used
        kind = "signed in with recovery code"
        begun = sessions.begin(person, now, client, kind=kind, left=left)
    return None if begun is None else (*begun, left)


def use(raw_email: str, raw_code: str) -> tuple[Person, int] | None:
    """Use a person's code up; return the person, and how many codes are left.

    In a transaction, the person is locked as by `ways_in.lock_person`. None if it is not theirs or
    was used. The same statements run for an unknown address.
    """
    query = Person.select().where(Person.email == normalise_email(raw_email))
    person: Person | None = lock_rows(query, "FOR NO KEY UPDATE").get_or_none()
    is_it = RecoveryCode.code_hash == hash_code(raw_code)
    is_theirs = RecoveryCode.person == ("" if person is None else person.id)
    # Of several requests that race, one deletes the row.
    is_used = bool(RecoveryCode.delete().where(is_it, is_theirs).execute())
    return (person, count_left(person)) if person is not None and is_used else None
