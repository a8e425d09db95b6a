"""The ways in which a person can sign in, and what must remain of them.

Whatever adds one or takes one away locks the person first, so that two changes at once see each
other, and so that a session from before a new password adds none.
"""

from embed.db.connection import lock_rows
from embed.db.models import Passkey, Person, RecoveryCode, Session
from embed.domain.passwords import has_password
from embed.errors import InvalidInput, NotFound

FEWEST_WITHOUT_PASSWORD = 2


def lock_person(session: Session) -> Person:
    """Read the person of a session, whose ways in nobody else changes until the transaction ends.

    Call this first in the transaction. Raises NotFound if the session has ended.
    """
    person = lock_person_by_id(session.person_id)
    if not Session.select().where(Session.id == session.id).exists():
        raise NotFound(session.id)
    return person


def lock_person_by_id(person_id: str) -> Person:
    """As `lock_person`, where the right to change them comes from elsewhere. Raises NotFound."""
    query = Person.select().where(Person.id == person_id)
    # Foreign keys to the person need not wait.
    person: Person | None = lock_rows(query, "FOR NO KEY UPDATE").get_or_none()
    if person is None:
        raise NotFound(person_id)
    return person


def may_switch_password_off(person: Person, host: str) -> bool:
    """Tell whether there are two passkeys, or a passkey and recovery codes.

    `host` is the service's own, as Passkey.host has it: passkeys of another sign nobody in.
    """
    return _is_enough(_count_passkeys(person, host), person)


def check_may_lose_passkey(person: Person, passkey: Passkey, host: str) -> None:
    """Raises InvalidInput if too little would be left to a person whose password is off."""
    if has_password(person.password_hash) or passkey.host != host:
        return
    if not _is_enough(_count_passkeys(person, host) - 1, person):
        raise InvalidInput(
            "Your password is off, so two passkeys, or a passkey and recovery codes, must remain."
            " Set a password or add another passkey first."
        )


def _count_passkeys(person: Person, host: str) -> int:
    return int(Passkey.select().where(Passkey.person == person, Passkey.host == host).count())


def _is_enough(passkeys: int, person: Person) -> bool:
    has_codes = RecoveryCode.select().where(RecoveryCode.person == person).exists()
    return passkeys > 0 and passkeys + has_codes >= FEWEST_WITHOUT_PASSWORD
