"""Passwords: finding a person by password, changing it, and the operator's one-time link."""

from collections.abc import Iterable
from datetime import timedelta

from itsdangerous import BadSignature

from embed.db.connection import db
from embed.db.models import Page, Passkey, Person, Session
from embed.domain.passwords import find_weakness, fingerprint, hash_password, is_correct_password
from embed.domain.signing import Signer
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.events.editing import Change
from embed.pages import is_page_of
from embed.people import sessions
from embed.people.accounts import lock_person, normalise_email

LINK_LIFETIME = timedelta(days=1)
_PURPOSE = "dashboard password link"


class UsedLink(NotFound):
    """A one-time link that has been used already, perhaps in another tab."""


def find_by_password(raw_email: str, password: str) -> Person | None:
    """Return the person if the password is right; an unknown address takes equally long."""
    person = Person.get_or_none(Person.email == normalise_email(raw_email))
    password_hash = None if person is None else person.password_hash
    return person if is_correct_password(password, password_hash) else None


def build_link(person: Person, signer: Signer, base_url: str) -> str:
    """Return a link for choosing a password, which works once and within a day.

    It stops working once the person's current password changes.
    """
    contents = (person.id, fingerprint(person.password_hash))
    return f"{base_url}/dashboard/password/{signer.sign(_PURPOSE, contents, LINK_LIFETIME)}"


def find_by_link(token: str, signer: Signer) -> Person | None:
    """Return the person of a link; None if it has expired or isn't one. Raises UsedLink."""
    try:
        person_id, made_for = signer.read(_PURPOSE, token, tuple[str, str]).value
    except BadSignature:
        return None
    person = Person.get_or_none(Person.id == person_id)
    if person is not None and fingerprint(person.password_hash) != made_for:
        raise UsedLink(person_id)
    return person


def choose_password(person: Person, password: str, change: Change, *, host: str) -> Person:
    """Set the password of a person who was found by a one-time link, and delete their passkeys.

    `host` is the service's own. Raises UsedLink, and InvalidInput for a bad password.
    """
    password_hash = _judge_and_hash(person, password, host)
    with db.atomic():
        locked = lock_person(person.id)
        # If two requests use one link at once, the second finds another password here.
        if locked.password_hash != person.password_hash:
            raise UsedLink(person.id)
        removed = Passkey.delete().where(Passkey.person == locked).execute()
        if removed:
            account_log.store(
                locked, "passkeys removed by link", change.now, change.client, count=removed
            )
        _replace(locked, password_hash, change)
    return locked


def change_password(session: Session, password: str, change: Change, *, host: str) -> Person:
    """Set a new password for a session's person; the caller has checked the current one.

    Raises NotFound if the session has ended or the password has been changed since the session was
    read, InvalidInput for a bad password.
    """
    password_hash = _judge_and_hash(session.person, password, host)
    with db.atomic():
        person = sessions.lock_person(session)
        if person.password_hash != session.person.password_hash:
            raise NotFound("The password has just been changed.")
        _replace(person, password_hash, change)
    return person


def _replace(person: Person, password_hash: str, change: Change) -> None:
    """Store a locked person's new password, and end all their sessions."""
    account_log.store(person, "password changed", change.now, change.client)
    Person.update(password_hash=password_hash).where(Person.id == person.id).execute()
    person.password_hash = password_hash
    sessions.end_all(person, change, kind="session ended by password")


def _judge_and_hash(person: Person, password: str, host: str) -> str:
    """Return the hash, which takes long to compute: call it before a transaction."""
    password_hash = hash_password(password)
    pages = Page.select().where(is_page_of(person))
    if weakness := judge_password(password, person.email, host, pages):
        raise InvalidInput(weakness, field="password")
    return password_hash


def judge_password(password: str, email: str, host: str, pages: Iterable[Page]) -> str | None:
    """Return what makes a password easy to guess, as an English sentence to translate, or None.

    The person's address, the service's host and the names of the person's pages count as easy.
    """
    own_texts = [email, host]
    for page in pages:
        own_texts += [page.token_name, page.token_symbol, page.public_title or ""]
    return find_weakness(password, own_texts)
