"""Who is signed in, and access to pages and what belongs to these."""

from typing import Any, TypeVar, cast

from flask import g, request
from flask_login import UserMixin, current_user

from embed import pages
from embed.db.models import ApiKey, Page, Person, Receiver, Session, Tag, Wallet
from embed.domain.clients import Client
from embed.domain.identifiers import is_id
from embed.errors import NotFound
from embed.people import sessions
from embed.people.members import find_role
from embed.web.current import runtime
from embed.web.dashboard.access import may

_OnPage = TypeVar("_OnPage", ApiKey, Receiver, Tag, Wallet)


class SignedIn(UserMixin):
    """A person in one of their sessions, whose credential is in the cookie."""

    def __init__(self, session: Session, credential: str) -> None:
        self.session = session
        self._credential = credential

    @property
    def person(self) -> Person:
        return self.session.person

    def get_id(self) -> str:
        return self._credential


def load_person(credential: str) -> SignedIn | None:
    session = sessions.find(credential, runtime().clock())
    return None if session is None else SignedIn(session, credential)


def current_session() -> Session:
    return cast(SignedIn, current_user).session


def current_person() -> Person:
    return cast(SignedIn, current_user).person


def current_client() -> Client:
    """Return what is kept of the browser that made this request."""
    return Client.parse(request.headers.get("User-Agent", ""), request.remote_addr or "")


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
    """Raises NotFound unless it is a key of the page, and one for sites."""
    return _get_on_page(ApiKey, page, key_id, ApiKey.purpose == "sites")


def get_own_wallet(page: Page, wallet_id: str) -> Wallet:
    """Raises NotFound unless the page tracks it."""
    return _get_on_page(Wallet, page, wallet_id)


def get_own_tag(page: Page, tag_id: str) -> Tag:
    """Raises NotFound unless it is on the page."""
    return _get_on_page(Tag, page, tag_id)


def get_own_receiver(page: Page, receiver_id: str) -> Receiver:
    """Raises NotFound unless it is a webhook or a channel of the page, and no person's own mail."""
    return _get_on_page(Receiver, page, receiver_id, Receiver.person.is_null())


def _get_on_page(model: type[_OnPage], page: Page, raw_id: str, *conditions: Any) -> _OnPage:
    # Not every database accepts all texts in a query, so check the id's form first.
    found = (
        model.get_or_none(model.id == raw_id, model.page == page, *conditions)
        if is_id(raw_id)
        else None
    )
    if found is None:
        raise NotFound(raw_id)
    return found
