"""Owners of tracking pages."""

from datetime import datetime

from embed.db.constraints import translate_unique_violations
from embed.db.models import Owner
from embed.domain.emails import parse_email
from embed.domain.languages import LANGUAGES
from embed.domain.passwords import (
    PasswordLinkSigner,
    fingerprint,
    hash_password,
    is_correct_password,
)
from embed.errors import InvalidInput, NotFound

# Owns the pages that were created without naming an owner.
INSTALLATION_OWNER = "owner@localhost"


def create_owner(raw_email: str, now: datetime, *, language: str | None = None) -> Owner:
    """Raises InvalidInput if the e-mail address is invalid or taken, or for an unknown language."""
    email = _parse_email(raw_email)
    _check_language(language)
    taken = InvalidInput(f"There is already an owner {email}.", field="email")
    with translate_unique_violations({"owner_email": taken}):
        return Owner.create(email=email, language=language, created_at=now)


def choose_language(owner_id: str, language: str) -> None:
    """Set the language of an owner's dashboard and notifications.

    Raises InvalidInput for an unknown one.
    """
    _check_language(language)
    Owner.update(language=language).where(Owner.id == owner_id).execute()


def _check_language(language: str | None) -> None:
    if language is not None and language not in LANGUAGES:
        raise InvalidInput(f"The language must be one of {', '.join(LANGUAGES)}.", field="language")


def list_owners() -> list[Owner]:
    return list(Owner.select().order_by(Owner.created_at, Owner.id))


def has_any() -> bool:
    """Tell whether there is an owner besides the one of pages that were created without one."""
    return Owner.select().where(Owner.email != INSTALLATION_OWNER).exists()


def get_owner(raw_email: str) -> Owner:
    """Raises NotFound."""
    email = _parse_email(raw_email)
    owner = Owner.get_or_none(Owner.email == email)
    if owner is None:
        raise NotFound(f"There is no owner {email}; create one with: flask owners create {email}")
    return owner


def find_by_id(owner_id: str) -> Owner | None:
    return Owner.get_or_none(Owner.id == owner_id)


def normalise_email(raw: str) -> str:
    """Return the form in which an e-mail address is looked up and its attempts are counted."""
    return raw.replace("\0", "").strip().lower()[:254]  # Postgres takes no NUL


def find_by_password(raw_email: str, password: str) -> Owner | None:
    """Return the owner if the password is right; an unknown address takes equally long."""
    owner = Owner.get_or_none(Owner.email == normalise_email(raw_email))
    is_correct = is_correct_password(password, owner.password_hash if owner is not None else None)
    return owner if is_correct else None


def choose_password(owner_id: str, made_for: str, password: str) -> Owner:
    """Set a password, if `made_for` is the fingerprint of the current one.

    Raises NotFound when the one-time link was used already, InvalidInput for a bad password.
    """
    password_hash = hash_password(password)
    owner = find_by_id(owner_id)
    if owner is not None and fingerprint(owner.password_hash) == made_for:
        is_unchanged = (
            Owner.password_hash.is_null()
            if owner.password_hash is None
            else Owner.password_hash == owner.password_hash
        )
        # If two requests use one link at once, the database lets only one of them update the row.
        chosen = Owner.update(password_hash=password_hash).where(Owner.id == owner_id, is_unchanged)
        if chosen.execute():
            owner.password_hash = password_hash
            return owner
    raise NotFound("This link has already been used.")


def build_password_url(owner: Owner, signer: PasswordLinkSigner, base_url: str) -> str:
    """Return a link for choosing a password, which works once and within a day."""
    return f"{base_url}/dashboard/password/{signer.sign(owner.id, owner.password_hash)}"


def get_installation_owner(now: datetime) -> Owner:
    """Return the owner of pages created without one; create it the first time."""
    return Owner.get_or_none(Owner.email == INSTALLATION_OWNER) or create_owner(
        INSTALLATION_OWNER, now
    )


def _parse_email(raw: str) -> str:
    try:
        return parse_email(raw)
    except ValueError as mistake:
        raise InvalidInput(str(mistake), field="email") from None
