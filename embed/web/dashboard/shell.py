"""What surrounds every page: the person's other pages, the colours, and the link to help."""

from dataclasses import dataclass

from flask import g, request, url_for
from flask_login import current_user

from embed.db.models import Page
from embed.pages import OwnPage, list_with_waiting
from embed.web.dashboard.access import current_person

THEME_COOKIE = "embed_theme"
THEMES = ("light", "dark")  # else the device decides

# What the link to help leads to, by endpoint: the document, and its section.
SECTIONS = {
    "sign_in": ("owners", "sign-in"),
    "choose_password": ("owners", "sign-in"),
    "account": ("owners", "sign-in"),
    "confirm": ("owners", "sign-in"),
    "list_passkeys": ("owners", "sign-in"),
    "sign_in_by_passkey": ("owners", "sign-in"),
    "show_account_log": ("owners", "sign-in"),
    "list_pages": ("owners", "overview"),
    "show_background": ("owners", "background-work"),
    "show_server": ("owners", "this-server"),
    "create_page": ("owners", "the-first-page"),
    "edit_page": ("owners", "switch-off-delete-restore"),
    "show_queue": ("owners", "queue"),
    "list_wallets": ("owners", "wallets"),
    "add_wallet": ("owners", "wallets"),
    "edit_wallet": ("owners", "wallets"),
    "change_wallets": ("owners", "wallets"),
    "remove_wallet": ("owners", "wallets"),
    "show_suggestions": ("owners", "suggested-wallets"),
    "look_up_suggestions": ("owners", "suggested-wallets"),
    "add_suggestions": ("owners", "suggested-wallets"),
    "import_wallets": ("owners", "wallets-as-csv"),
    "apply_import": ("owners", "wallets-as-csv"),
    "show_embed": ("owners", "embed"),
    "show_activity": ("owners", "activity"),
    "stop_mail_by_link": ("owners", "activity"),
    "decide_by_link": ("owners", "deciding-from-a-message"),
    "list_tags": ("owners", "tags"),
    "edit_tag": ("owners", "tags"),
    "remove_tag": ("owners", "tags"),
    "list_people": ("owners", "people"),
    "invite_person": ("owners", "people"),
    "accept_invitation": ("owners", "people"),
    "list_keys": ("owners", "keys-and-refused-sites"),
    "create_key": ("owners", "keys-and-refused-sites"),
    "edit_key": ("owners", "keys-and-refused-sites"),
    "revoke_key": ("owners", "keys-and-refused-sites"),
    "edit_policy": ("owners", "policy"),
    "list_blocks": ("owners", "deny-list"),
    "list_receivers": ("owners", "notifications"),
    "add_channel": ("notifications", "channels"),
    "add_webhook": ("notifications", "webhooks"),
    "rotate_secret": ("notifications", "change-the-secret"),
    "remove_receiver": ("owners", "notifications"),
    "let_channel_decide": ("owners", "deciding-from-a-message"),
    "show_deliveries": ("notifications", "how-messages-are-delivered"),
}


@dataclass(frozen=True, slots=True)
class Shell:
    own_pages: list[OwnPage]
    waiting_here: int  # on the page that is shown
    waiting_elsewhere: int
    theme: str | None
    help: str  # the address of what the documents say of it


def list_own_pages() -> list[OwnPage]:
    """Return the owner's pages, which are read once for a request."""
    if "own_pages" not in g:
        g.own_pages = list_with_waiting(current_person())
    own_pages: list[OwnPage] = g.own_pages
    return own_pages


def read_theme() -> str | None:
    """Return the colours that this browser's owner has chosen; None leaves them to the device."""
    theme = request.cookies.get(THEME_COOKIE)
    return theme if theme in THEMES else None


def read_shell(page: Page | None) -> Shell:
    """Return what surrounds a page, in one statement."""
    own_pages = list_own_pages() if current_user.is_authenticated else []
    here = sum(one.waiting for one in own_pages if one.page == page)
    return Shell(
        own_pages,
        waiting_here=here,
        waiting_elsewhere=sum(one.waiting for one in own_pages) - here,
        theme=read_theme(),
        help=find_help(),
    )


def find_help() -> str:
    """Return the address of the part of the documents for the page that is shown."""
    endpoint = (request.endpoint or "").removeprefix("dashboard.")
    document, section = SECTIONS.get(endpoint, ("owners", None))
    return url_for("documents.show_document", name=document, _anchor=section)
