"""The decorators of the dashboard's routes, which state who may, what is confirmed, where help is.

Before each request, blueprint.py checks who may, and confirmation.py asks "Is it you?". A route
that states nothing answers 500.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, TypeVar

from flask import Blueprint, g, request
from flask.typing import ResponseReturnValue

from embed.db.models import Page
from embed.domain.roles import includes

ANYBODY = "anybody"  # signed in or not
PERSON = "person"  # everyone who is signed in
PAGE_CREATOR = "page creator"  # a person who may create pages
FORM = ("GET", "POST")  # the methods of a route that shows a form and takes it

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])
PageView = TypeVar("PageView", bound=Callable[Concatenate[Page, ...], ResponseReturnValue])

blueprint = Blueprint("dashboard", __name__, url_prefix="/dashboard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a route's decorator states."""

    needs: str  # one of the words above; of a page's route, the least role
    confirms: bool = False  # asks "Is it you?" first
    help: str = "owners"  # where the help link leads: the document, and its section after "#"
    opens_deleted: bool = False  # also takes a deleted page
    # Shows what was typed again if its form came too late. Only for views that save nothing before
    # Form.validate. Their secrets are named in unsaved.py, which leaves them out.
    keeps_text: bool = False
    max_upload_bytes: int | None = None  # of a form with a file
    # Requests that scripts make on their own aren't visits, and their answers must not bring back
    # the session from before a form that was sent at the same moment.
    is_visit: bool = True
    downloaded_from: str | None = None  # of a download: the route of the page that links to it


ROUTES: dict[str, Route] = {}  # by endpoint


def route(
    path: str, *, needs: str, methods: Sequence[str] = ("GET",), **stated: Any
) -> Callable[[View], View]:
    """Add a route outside of any page; `stated` are fields of Route."""

    def add(view: View) -> View:
        _add(path, methods, view, Route(needs=needs, **stated))
        return view

    return add


def page_route(
    path: str, *, needs: str, methods: Sequence[str] = ("GET",), **stated: Any
) -> Callable[[PageView], PageView]:
    """Add a route below a page's address; the view gets the page in place of its id."""

    def add(view: PageView) -> PageView:
        @wraps(view)
        def view_page(page_id: str, **arguments: Any) -> ResponseReturnValue:
            return view(g.page, **arguments)  # open_page in blueprint.py stored it

        _add(f"/pages/<page_id>{path}", methods, view_page, Route(needs=needs, **stated))
        return view

    return add


def _add(path: str, methods: Sequence[str], view: Callable[..., Any], stated: Route) -> None:
    ROUTES[f"{blueprint.name}.{view.__name__}"] = stated
    blueprint.add_url_rule(path, view.__name__, view, methods=methods)


def current_route() -> Route:
    return ROUTES[request.endpoint or ""]


def may(name: str, role: str) -> bool:
    """Return whether a role may use a page's route."""
    return includes(role, ROUTES[f"{blueprint.name}.{name}"].needs)


def may_here(name: str) -> bool:
    """Return whether the signed-in person may use a route of the current page."""
    return "role" in g and may(name, g.role)
