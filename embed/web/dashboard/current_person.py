"""Who is signed in, and access to pages and what belongs to these."""

from typing import Any, TypeVar, cast

from flask import g, request
from flask_login import UserMixin, current_user

from embed import pages
from embed.db.models import ApiKey, Page, Person, Receiver, Tag, Wallet
from embed.domain.identifiers import is_id
from embed.domain.passwords import fingerprint
from embed.errors import NotFound
from embed.people import accounts
from embed.people.members import find_role
from embed.web.dashboard.access import may

_OfPage = TypeVar("_OfPage", ApiKey, Receiver, Tag, Wallet)


class SignedIn(UserMixin):
    """A person, identified in the session by id and fingerprint of the password."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def get_id(self) -> str:
        # A changed password ends all sessions that were started with the old one.
        return f"{self.person.id}.{fingerprint(self.person.password_hash)}"


def load_person(session_value: str) -> SignedIn | None:
    person_id, _, made_for = session_value.partition(".")
    person = accounts.find_by_id(person_id)
    if person is None or fingerprint(person.password_hash) != made_for:
        return None
    return SignedIn(person)


def current_person() -> Person:
    return cast(SignedIn, current_user).person


class NotAllowed(Exception):
    """The person's role on a page is not enough for what was asked."""

    def __init__(self, role: str) -> None:
        super().__init__(role)
        self.role = role


def open_page(page_id: str, *, deleted: bool = False) -> Page:
    """Return the page of a request by somebody who may make it.

    Raises NotFound unless it is a page of the signed-in person, and NotAllowed if the role there
    is not enough.
    """
    page = pages.find_page(page_id) if is_id(page_id) else None
    role = None if page is None else find_role(page, current_person())
    if page is None or role is None or (page.deleted_at and not deleted):
        raise NotFound(page_id)
    g.role = role
    if not may(request.endpoint or "", role, request.method):
        raise NotAllowed(role)
    return page


def get_own_key(page: Page, key_id: str) -> ApiKey:
    """Raises NotFound unless it is a key of the page, other than the preview key."""
    return _get_of_page(ApiKey, page, key_id, ~ApiKey.is_preview)


def get_own_wallet(page: Page, wallet_id: str) -> Wallet:
    """Raises NotFound unless the page tracks it."""
    return _get_of_page(Wallet, page, wallet_id)


def get_own_tag(page: Page, tag_id: str) -> Tag:
    """Raises NotFound unless it is on the page."""
    return _get_of_page(Tag, page, tag_id)


def get_own_receiver(page: Page, receiver_id: str) -> Receiver:
    """Raises NotFound unless it is a webhook or a channel of the page."""
    return _get_of_page(Receiver, page, receiver_id)


def _get_of_page(model: type[_OfPage], page: Page, raw_id: str, *conditions: Any) -> _OfPage:
    # Not every database accepts all texts in a query, so check the id's form first.
    found = (
        model.get_or_none(model.id == raw_id, model.page == page, *conditions)
        if is_id(raw_id)
        else None
    )
    if found is None:
        raise NotFound(raw_id)
    return found
