"""What surrounds every page of the dashboard: the owner's pages, what waits, and the colours."""

from dataclasses import dataclass

from flask import g, request
from flask_login import current_user

from embed.db.models import Page
from embed.pages import OwnPage, list_with_waiting
from embed.web.dashboard.current_person import current_person
from embed.web.dashboard.help import find_help

THEME_COOKIE = "embed_theme"
THEMES = ("light", "dark")  # else the device decides


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
