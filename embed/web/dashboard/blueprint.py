"""Shared by all routes of the dashboard: who may, the session, CSRF, headers and error pages."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

from babel.dates import format_date, format_time, get_datetime_format
from flask import Flask, Request, Response, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, current_user
from flask_wtf.csrf import CSRFError, CSRFProtect
from itsdangerous import BadSignature
from werkzeug.exceptions import MethodNotAllowed, RequestEntityTooLarge

from embed import pages
from embed.domain.concurrency import Busy
from embed.domain.identifiers import is_id
from embed.domain.roles import NAME_BY_ROLE, includes
from embed.errors import ApiError, InvalidInput, NotFound
from embed.people.members import find_role
from embed.people.sessions import IDLE_FOR, store_visit
from embed.settings import Settings
from embed.web.current import find_host_name, runtime
from embed.web.dashboard import routes
from embed.web.dashboard.access import current_person, current_session, load_person
from embed.web.dashboard.responses import list_sent, render_mistake, write_mistake
from embed.web.dashboard.routes import (
    ANYBODY,
    PAGE_CREATOR,
    blueprint,
    current_route,
    may_here,
)
from embed.web.dashboard.sign_in import ask_to_sign_in
from embed.web.dashboard.unsaved import is_from_here, keep_only_text
from embed.web.languages import choose_language, current_locale, gettext, lazy_gettext
from embed.web.security_headers import isolate, restrict_content


def is_from_elsewhere() -> bool:
    """Return whether another site made the request, other than by a link to a page.

    Answers that depend on who is signed in would tell such a site who its visitor is. Sites on the
    same domain count too, since SameSite cookies are sent with their requests. Browsers that send
    no Sec-Fetch headers (https://www.w3.org/TR/fetch-metadata/) aren't checked.
    """
    if request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin"):
        return False
    is_link = (
        request.method == "GET"
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
        and request.headers.get("Sec-Fetch-Dest") == "document"
    )
    # A window that another site opened stays readable to it when a download begins there.
    return not is_link or current_route().downloaded_from is not None


NOT_FOUND = lazy_gettext("This page doesn't exist, or it belongs to someone else.")
NOT_FOR_GUESTS = lazy_gettext(
    "Your account came from an invitation, so you can't create pages or see how this server is set"
    " up. Its operator can allow both."
)
ONLY_A_FORM = lazy_gettext(
    "It only accepts a form. Please start again from the page with the form."
)
FORM_EXPIRED = lazy_gettext(
    "This form has expired, or its cookie didn't arrive (cookies need HTTPS, except on "
    "localhost). Go back, reload the page and try again."
)
FORM_TYPES = {"application/x-www-form-urlencoded", "multipart/form-data"}
# Before sign-in, the app's own limit applies: parsing a form costs time, and anyone can send one.
MAX_FORM_BYTES = 64 * 1024  # the ids of 1,000 submissions or wallets
MAX_FIELD_BYTES = 256 * 1024  # in memory; a file is written to the disk while it is read

_login = LoginManager()
_csrf = CSRFProtect()


def init_dashboard(app: Flask, settings: Settings) -> None:
    if settings.secret_keys:
        use_secret_keys(app, settings.secret_keys)
    app.config.update(
        SESSION_COOKIE_SAMESITE="Lax",
        # A slow answer must not bring back the cookie from before "Is it you?".
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=IDLE_FOR,
        WTF_CSRF_CHECK_DEFAULT=False,  # guard_request checks, and only for the dashboard
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
    )
    app.session_interface = DashboardSessions()
    _csrf.init_app(app)
    _login.init_app(app, add_context_processor=False)  # provide_user does so for the dashboard
    # IP addresses change; a session is bound to its row instead.
    _login.session_protection = None
    _login.user_loader(load_person)
    app.register_blueprint(blueprint)


def use_secret_keys(app: Flask, keys: Sequence[str]) -> None:
    """Sign sessions and forms with the first key, and accept all."""
    app.secret_key, *app.config["SECRET_KEY_FALLBACKS"] = keys
    app.config["WTF_CSRF_SECRET_KEY"] = [*reversed(keys)]  # itsdangerous signs with the last


@blueprint.context_processor
def provide_user() -> dict[str, Any]:
    return {"current_user": current_user, "may": may_here}


@blueprint.before_request
def guard_request() -> ResponseReturnValue | None:
    """Ask to sign in unless signed in, and refuse what other sites send (CSRF)."""
    route = current_route()
    if is_from_elsewhere():  # first, and without the session: the same for every visitor
        raise ApiError("origin_not_allowed")
    choose_language(current_person().language if current_user.is_authenticated else None)
    if current_user.is_authenticated:
        request.max_content_length = _find_size_limit()
        request.max_form_memory_size = MAX_FIELD_BYTES
        if route.is_visit:
            session.modified |= store_visit(current_session(), runtime().clock())
    elif route.needs != ANYBODY:
        if request.method == "POST" and is_from_here():
            return ask_to_sign_in()
        return redirect(url_for("dashboard.sign_in", next=find_target()))
    if (request.content_length or 0) > (request.max_content_length or 0):
        raise RequestEntityTooLarge
    if route.needs == PAGE_CREATOR and current_person().is_guest:
        return render_mistake(NOT_FOR_GUESTS, 403)
    if request.method not in ("GET", "HEAD"):
        if request.mimetype not in FORM_TYPES or None in request.form:  # a field without a name
            return render_mistake(gettext("The dashboard only accepts its own forms."), 415)
        try:
            if not is_one_click():
                _csrf.protect()
        except (CSRFError, ValueError):  # ValueError: the Referer isn't an address
            if not keep_only_text():
                return render_mistake(FORM_EXPIRED, 400)
    return None


@blueprint.before_request  # after guard_request, so only signed-in people
def open_page() -> ResponseReturnValue | None:
    """Store the page of a page's route in ``g``, and the person's role on it.

    Refuses people who may not use the route. Raises NotFound unless they have a role on the page.
    """
    page_id = (request.view_args or {}).get("page_id")
    if page_id is None:
        return None
    page = pages.find_page(page_id) if is_id(page_id) else None
    role = None if page is None else find_role(page, current_person())
    route = current_route()
    if page is None or role is None or (page.deleted_at and not route.opens_deleted):
        raise NotFound(page_id)
    g.page, g.role = page, role
    if not includes(role, route.needs):
        name = gettext(NAME_BY_ROLE[role])
        return render_mistake(
            gettext("Your role on this page, %(role)s, doesn't allow this.", role=name), 403
        )
    return None


def is_one_click() -> bool:
    """Return whether a mail service unsubscribes someone (RFC 8058); the link is all it needs."""
    is_link = request.endpoint == "dashboard.stop_mail_by_link"
    return is_link and request.form.get("List-Unsubscribe") == "One-Click"


def _find_size_limit() -> int:
    """Return the most bytes that a person may send; only multipart uploads may be large.

    Megabytes of a URL-encoded form would take seconds to parse.
    """
    is_upload = request.mimetype == "multipart/form-data"
    return (is_upload and current_route().max_upload_bytes) or MAX_FORM_BYTES


def find_target() -> str | None:
    return request.full_path.rstrip("?") if request.method == "GET" else None


@blueprint.after_request
def add_security_headers(response: Response) -> Response:
    policy = restrict_content(response)
    policy.frame_src = policy.form_action = "'self'"
    policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    isolate(response)
    return response


@blueprint.app_template_filter("moment")
def format_moment(instant: datetime) -> str:
    """Return a time for people, in UTC; a script converts it to the reader's time zone."""
    locale = current_locale()
    day, time = format_date(instant, locale=locale), format_time(instant, "short", locale=locale)
    return f"{get_datetime_format(locale=locale)} UTC".format(time, day)


@routes.route("/<path:rest>", methods=routes.FORM, needs=ANYBODY)
def refuse_unknown(rest: str) -> NoReturn:
    """Refuse what no other route takes; as a route, it counts for limits and knows who asks."""
    endpoint, _ = current_app.url_map.bind("").match(request.path, method="POST")
    raise NotFound(rest) if endpoint == request.endpoint else MethodNotAllowed(["POST"])


@blueprint.errorhandler(404)
@blueprint.errorhandler(NotFound)
def show_not_found(_: Any) -> ResponseReturnValue:
    return render_mistake(NOT_FOUND, 404)


@blueprint.errorhandler(405)
def show_not_allowed(error: MethodNotAllowed) -> Response:
    response = render_mistake(ONLY_A_FORM, 405)
    response.allow.update(error.valid_methods or ())
    return response


@blueprint.errorhandler(Busy)
def show_busy(error: Busy) -> Response:
    fields = list_sent()
    # Passwords and files aren't sent back.
    is_whole = not request.files and not any("password" in name for name, _ in fields)
    response = render_mistake(gettext(str(error)), 429, fields if is_whole else ())
    response.headers["Retry-After"] = "2"
    return response


@blueprint.errorhandler(413)
def show_too_large(_: Any) -> ResponseReturnValue:
    return render_mistake(
        gettext("This is too large. A file can have up to 16 MB. Split larger ones."), 413
    )


@blueprint.errorhandler(InvalidInput)
def show_invalid(error: InvalidInput) -> ResponseReturnValue:
    return render_mistake(write_mistake(error), 409)


# The session, in a cookie that no other host can set

LOCAL_COOKIE = "embed_dashboard"
# Browsers accept a cookie of this name only if it is Secure, for / and without a Domain: other
# hosts of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
COOKIE = f"__Host-{LOCAL_COOKIE}"


class DashboardSessions(SecureCookieSessionInterface):
    """Flask's session cookie, with another name on localhost, where there may be no TLS."""

    digest_method = staticmethod(hashlib.sha256)  # Flask's own is SHA-1

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Skip the API and the widget, which do not use this session, to save time."""
        if not request.path.startswith("/dashboard"):
            return None
        serializer = self.get_signing_serializer(app)
        raw = _find_cookie(request.headers.get("Cookie", ""), self.get_cookie_name(app))
        if serializer is None or raw is None:
            return self.session_class()
        try:
            return self.session_class(serializer.loads(raw, max_age=int(IDLE_FOR.total_seconds())))
        except BadSignature:
            return self.session_class()

    def get_cookie_name(self, app: Flask) -> str:
        return LOCAL_COOKIE if _is_local() else COOKIE

    def get_cookie_path(self, app: Flask) -> str:
        return "/dashboard" if _is_local() else "/"

    def get_cookie_secure(self, app: Flask) -> bool:
        return not _is_local()


def _find_cookie(cookies: str, name: str) -> str | None:
    """Read a cookie as browsers write it.

    request.cookies also strips spaces other than U+0020 before a name, so another host could set
    the cookie, and joins what's between quotation marks.
    """
    pairs = (pair.strip(" ").partition("=") for pair in cookies.split(";"))
    return next((value for key, _, value in pairs if key == name), None)


def _is_local() -> bool:
    return find_host_name() in ("localhost", "127.0.0.1", "::1")
