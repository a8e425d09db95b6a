"""The people who sign in: owners of tracking pages, and members of others' pages."""

from datetime import datetime

from embed.db.connection import lock_rows
from embed.db.constraints import translate_unique_violations
from embed.db.models import Person
from embed.domain.texts import check_choice, parse_email
from embed.errors import InvalidInput, NotFound
from embed.translations import LANGUAGES

# Owns the pages that were created without naming an owner.
INSTALLATION_OWNER = "owner@localhost"


def create_person(
    raw_email: str,
    now: datetime,
    *,
    language: str | None = None,
    password_hash: str | None = None,
    is_guest: bool = False,
) -> Person:
    """Raises InvalidInput if the email address is invalid or taken."""
    email = parse_email(raw_email)
    taken = InvalidInput("There's already an account for %(email)s.", field="email", email=email)
    with translate_unique_violations({"person_email": taken}):
        return Person.create(
            email=email,
            language=language,
            password_hash=password_hash,
            is_guest=is_guest,
            created_at=now,
        )


def admit_guest(raw_email: str) -> Person | None:
    """Let a person who was invited create pages; None if there is no such guest."""
    email = parse_email(raw_email)
    admitted = Person.update(is_guest=False).where(Person.email == email, Person.is_guest)
    return get_person(email) if admitted.execute() else None


def choose_language(person_id: str, language: str) -> None:
    """Set the language of a person's dashboard and notifications. Raises InvalidInput."""
    check_choice(language, LANGUAGES, "language")
    Person.update(language=language).where(Person.id == person_id).execute()


def list_people() -> list[Person]:
    return list(Person.select().order_by(Person.created_at, Person.id))


def has_any() -> bool:
    """Tell whether there is anyone besides the installation's owner."""
    return Person.select().where(Person.email != INSTALLATION_OWNER).exists()


def get_person(raw_email: str) -> Person:
    """Raises NotFound."""
    email = parse_email(raw_email)
    person = Person.get_or_none(Person.email == email)
    if person is None:
        raise NotFound(f"There is no owner {email}; create one with: flask owners create {email}")
    return person


def has_account(email: str) -> bool:
    return Person.select().where(Person.email == email).exists()


def lock_person(person_id: str) -> Person:
    """Read a person and lock them until the transaction ends. Raises NotFound.

    Call this before locking other rows of the person.
    """
    query = Person.select().where(Person.id == person_id)
    # Rows that refer to the person needn't wait.
    person: Person | None = lock_rows(query, "FOR NO KEY UPDATE").get_or_none()
    if person is None:
        raise NotFound(person_id)
    return person


def normalise_email(raw: str) -> str:
    """Return the form in which an email address is looked up and its attempts are counted."""
    return raw.replace("\0", "").strip().lower()[:254]  # Postgres takes no NUL


def get_installation_owner(now: datetime) -> Person:
    """Return the owner of pages created without one; create it the first time."""
    return Person.get_or_none(Person.email == INSTALLATION_OWNER) or create_person(
        INSTALLATION_OWNER, now
    )
