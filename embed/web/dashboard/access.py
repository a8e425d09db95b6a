"""Who is signed in, and what belongs to a page."""

from typing import Any, TypeVar, cast

from flask import request
from flask_login import UserMixin, current_user

from embed.db.models import ApiKey, Page, Person, Receiver, Session, Tag, Wallet
from embed.domain.clients import Client
from embed.domain.identifiers import is_id
from embed.errors import NotFound
from embed.events.editing import Change
from embed.people import sessions
from embed.web.current import runtime

# The actor of a request until the use case finds the person, by a password or a link.
NOT_SIGNED_IN = "not signed in"

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
    return Client.parse(request.headers.get("User-Agent", ""), request.remote_addr or "")


def current_change() -> Change:
    actor = current_person().email if current_user.is_authenticated else NOT_SIGNED_IN
    return runtime().change(actor, current_client())


def get_own_key(page: Page, key_id: str) -> ApiKey:
    """Return one of the page's keys for sites. Raises NotFound."""
    return _get_on_page(ApiKey, page, key_id, ApiKey.purpose == "sites")


def get_own_wallet(page: Page, wallet_id: str) -> Wallet:
    """Return a wallet that the page tracks. Raises NotFound."""
    return _get_on_page(Wallet, page, wallet_id)


def get_own_tag(page: Page, tag_id: str) -> Tag:
    """Return a tag of the page. Raises NotFound."""
    return _get_on_page(Tag, page, tag_id)


def get_own_receiver(page: Page, receiver_id: str) -> Receiver:
    """Return a webhook or channel of the page, but no person's own mail. Raises NotFound."""
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
