"""Who is signed in, which routes they may use, and what belongs to their pages."""

from typing import Any, TypeVar, cast

from flask import g, request
from flask_login import UserMixin, current_user

from embed import pages
from embed.db.models import ApiKey, Page, Person, Receiver, Session, Tag, Wallet
from embed.domain.clients import Client
from embed.domain.identifiers import is_id
from embed.domain.roles import OWNER, ROLES, includes
from embed.errors import NotFound
from embed.people import sessions
from embed.people.members import find_role
from embed.web.current import runtime

ANYBODY = "anybody"  # signed in or not
PERSON = "person"  # everyone who is signed in
HOST = "host"  # a person who may create pages

# Who may use a route, by endpoint; where POST needs more, by endpoint and method too.
# Routes that aren't listed are closed to everyone.
_NEEDED = {
    "sign_in": ANYBODY,
    "sign_in_by_passkey": ANYBODY,
    "choose_password": ANYBODY,
    "accept_invitation": ANYBODY,
    "stop_mail_by_link": ANYBODY,
    "decide_by_link": ANYBODY,  # everyone who has the link
    "sign_out": PERSON,
    "account": PERSON,
    "confirm": PERSON,
    "show_account_log": PERSON,
    "add_passkey": PERSON,
    "remove_passkey": PERSON,
    "end_session": PERSON,
    "end_other_sessions": PERSON,
    "choose_language": PERSON,
    "choose_theme": PERSON,
    "list_pages": PERSON,
    "show_background": PERSON,
    "show_server": HOST,
    "create_page": HOST,
    "show_page": "viewer",
    "show_queue": "viewer",
    "read_news": "viewer",
    "decide": "reviewer",
    "undo_decision": "reviewer",
    "show_activity": "viewer",
    "start_mail": "viewer",
    "stop_mail": "viewer",
    "let_mail_decide": "reviewer",
    "end_deciding_by_mail": "viewer",
    "list_wallets": "viewer",
    "export_wallets": "viewer",
    "add_wallet": "editor",
    "edit_wallet": "editor",
    "remove_wallet": "editor",
    "change_wallets": "editor",
    "show_suggestions": "editor",
    "look_up_suggestions": "editor",
    "add_suggestions": "editor",
    "import_wallets": "editor",
    "apply_import": "editor",
    "list_tags": "viewer",
    "add_tag": "editor",
    "edit_tag": "editor",
    "remove_tag": "editor",
    "edit_policy": "viewer",
    "edit_policy POST": "editor",
    "add_block": "editor",
    "remove_block": "editor",
    "show_embed": "editor",
    "show_embed POST": OWNER,  # it creates a key
    "show_look": "editor",
    "show_share": "editor",
    "show_preview": "editor",
    "show_contrast": "editor",
    "save_look": "editor",
    "share_page": OWNER,
    "show_settings": "viewer",
    "edit_page": "editor",
    "leave_page": "viewer",
    "show_danger": OWNER,
    "delete_page": OWNER,
    "restore_page": OWNER,
    "list_people": OWNER,
    "invite_person": OWNER,
    "change_role": OWNER,
    "remove_person": OWNER,
    "revoke_invitation": OWNER,
    "list_keys": OWNER,
    "create_key": OWNER,
    "edit_key": OWNER,
    "revoke_key": OWNER,
    "allow_origin": OWNER,
    "forget_origin": OWNER,
    "list_receivers": OWNER,
    "add_receiver": OWNER,
    "remove_receiver": OWNER,
    "let_channel_decide": OWNER,
    "end_deciding": OWNER,
    "rotate_secret": OWNER,
    "send_test": OWNER,
    "show_deliveries": OWNER,
    "send_again": OWNER,
    "send_all_again": OWNER,
}
# Routes that ask "Is it you?" first (confirmation.py).
CONFIRMED = {
    "add_passkey",
    "remove_passkey",
    "list_keys",
    "create_key",
    "edit_key",
    "revoke_key",
    "allow_origin",
    "show_embed POST",  # it creates a key
    "share_page",
    "list_people",
    "invite_person",
    "change_role",
    "remove_person",
    "revoke_invitation",
    "add_receiver",
    "let_channel_decide",
    "let_mail_decide",
    "rotate_secret",
    "export_wallets",
    "delete_page",
}


_OnPage = TypeVar("_OnPage", ApiKey, Receiver, Tag, Wallet)


def find_needed(endpoint: str, method: str) -> str | None:
    """Return the role needed on the page, or one of the words above; None: nobody may."""
    name = endpoint.removeprefix("dashboard.")
    return _NEEDED.get(f"{name} {method}") or _NEEDED.get(name)


def needs_confirmation(endpoint: str, method: str) -> bool:
    """Return whether a person must have confirmed recently who they are."""
    name = endpoint.removeprefix("dashboard.")
    return name in CONFIRMED or f"{name} {method}" in CONFIRMED


def may(endpoint: str, role: str, method: str = "POST") -> bool:
    """Return whether a role may use a page's route; `endpoint` has no prefix here."""
    needed = find_needed(endpoint, method)
    return needed in ROLES and includes(role, needed)


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
    """Return the session of the browser that made this request."""
    return Client.parse(request.headers.get("User-Agent", ""), request.remote_addr or "")


class NotAllowed(Exception):
    """The person's role on a page is not enough for what was asked."""

    def __init__(self, role: str) -> None:
        super().__init__(role)
        self.role = role


def open_page(page_id: str, *, deleted: bool = False) -> Page:
    """Return a request's page, if the signed-in person may make the request.

    Raises NotFound unless they have a role on the page, and NotAllowed if the role isn't enough.
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
