"""Signing in and out, and choosing a password by a one-time link."""

import math
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from flask import Response, current_app, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user, logout_user
from limits import parse
from werkzeug.exceptions import HTTPException
from wtforms import EmailField, Field, PasswordField
from wtforms.validators import InputRequired, Length

from embed.db.models import Person, Session
from embed.domain.passwords import MAX_LENGTH, MIN_LENGTH, is_correct_password
from embed.events import account_log
from embed.pages import list_of_owner
from embed.people import passwords, sessions
from embed.people.accounts import normalise_email
from embed.web import languages, rate_limits
from embed.web.current import own_host, own_origin, runtime
from embed.web.dashboard import unsaved
from embed.web.dashboard.access import (
    SignedIn,
    current_change,
    current_client,
    current_person,
    current_session,
)
from embed.web.dashboard.responses import (
    Form,
    redirect_to,
    render,
    render_mistake,
    show_mistakes,
)
from embed.web.dashboard.routes import ANYBODY, FORM, PERSON, route
from embed.web.languages import gettext, lazy_gettext, ngettext

_INSIDE = re.compile(r"/dashboard/[!-\[\]-~]*")  # printable ASCII, no backslash
USED_LINK = lazy_gettext(
    "This link works only once, and it has been used. Sign in with the password chosen then. If "
    "you forgot it, ask the operator of this server for a new link."
)
DEAD_LINK = lazy_gettext(
    "This link has expired or is incomplete. Ask the operator of this server for a new one."
)
# Of sign-ins. A network is a /24 or /48: one site may have thousands of /64s.
PER_CLIENT = parse("30/10 minutes")
PER_NETWORK = parse("100/10 minutes")
PER_ACCOUNT = parse("10/10 minutes")  # from one network
FROM_NEW_NETWORKS = parse("20/hour")  # at one account, from all networks new to it together
PER_SESSION = parse("10/10 minutes")  # answers to "Is it you?", which need no sign-in
RenderForm = Callable[..., Response]  # called with `status`
_LENGTHS = {"min": MIN_LENGTH, "max": MAX_LENGTH}


class SignInForm(Form):
    email = EmailField(lazy_gettext("Email"), [InputRequired(), Length(max=254)])
    password = PasswordField(lazy_gettext("Password"), [InputRequired(), Length(max=MAX_LENGTH)])


class PasswordForm(Form):
    """Choose a password, which can be shown, so it isn't typed twice."""

    password = PasswordField(
        lazy_gettext("New password"),
        description=lazy_gettext("%(min)s to %(max)s characters.", **_LENGTHS),
        validators=[
            InputRequired(),
            Length(
                MIN_LENGTH,
                MAX_LENGTH,
                lazy_gettext("Choose a password of %(min)s to %(max)s characters."),
            ),
        ],
    )


@route("/sign-in", methods=FORM, needs=ANYBODY, help="owners#sign-in")
def sign_in() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if current_user.is_authenticated:
        return go_on(target)
    form = SignInForm()
    if not form.validate_on_submit():
        return render_sign_in(form, status=200)
    email = form.email.data or ""
    if wait := find_wait(email):
        return refuse_attempt(wait, form.password, partial(render_sign_in, form))
    person = passwords.find_by_password(email, form.password.data or "")
    if person is None or not begin_session(person):
        form.password.errors = [gettext("The email address or the password is wrong.")]
        return store_failure(email, render_sign_in(form), "sign-in failed")
    return go_on(target)


def render_sign_in(form: SignInForm, *, status: int | None = None) -> Response:
    return render(
        "sign_in.html",
        form=form,
        status=status,
        target=request.args.get("next"),
        unsaved=request.form.get(unsaved.FIELD),
    )


def go_on(target: str) -> ResponseReturnValue:
    """Lead a person who has signed in to the form that they sent before, or to `target`."""
    found = unsaved.find_unsaved() if request.method == "POST" else None
    if found and _INSIDE.fullmatch(found.address):  # no line ends
        return redirect(found.address, 307)
    return redirect(target, 303)


def ask_to_sign_in() -> Response:
    """Answer a form that was sent after its session had ended."""
    sent_from = (request.referrer or "").removeprefix(own_origin())
    pages = (one for one in (request.full_path, sent_from) if _is_page(one.partition("?")[0]))
    return render(
        "sign_in.html",
        form=SignInForm(formdata=None),
        status=403,
        target=next(pages, None),
        unsaved=unsaved.seal_form(),
        is_late=True,
    )


def _is_page(path: str) -> bool:
    try:
        endpoint, _ = current_app.url_map.bind("").match(path, method="GET")
    except HTTPException:
        return False
    return bool(endpoint != "dashboard.refuse_unknown")  # which takes any address


@route("/sign-out", methods=["POST"], needs=PERSON)
def sign_out() -> ResponseReturnValue:
    end_own_session()
    logout_user()
    session.clear()
    return redirect_to("sign_in", gettext("You've signed out."))


@route("/password/<token>", methods=FORM, needs=ANYBODY, help="owners#sign-in")
def choose_password(token: str) -> ResponseReturnValue:
    """Set a password through a one-time link from the command line.

    This ends every session and removes passkeys.
    """
    try:
        person = passwords.find_by_link(token, runtime().signer)
    except passwords.UsedLink as used:
        if current_user.is_authenticated and current_person().id in used.args:
            return redirect(url_for("dashboard.list_pages"), 303)  # a second press, or a bookmark
        return render_mistake(USED_LINK, 410)
    if person is None:
        return render_mistake(DEAD_LINK, 404)
    form = PasswordForm()
    if not form.validate_on_submit():
        return render("password.html", form=form, person=person)
    with show_mistakes(form):
        try:
            chosen = passwords.choose_password(
                person, form.password.data or "", current_change(), host=own_host()
            )
        except passwords.UsedLink:
            return render_mistake(USED_LINK, 410)
        begin_session(chosen)
        begins = not chosen.is_guest and not list_of_owner(chosen)
        place = "create_page" if begins else "list_pages"
        return redirect_to(place, gettext("Your password is set."))
    return render("password.html", form=form, person=person)


def begin_session(person: Person) -> bool:
    """Sign in with a new session, against session fixation, and end this browser's former one.

    Returns False if the person was removed or got another password in the meantime.
    """
    begun = sessions.begin(person, current_change())
    if begun is None:
        return False
    use_session(*begun)
    return True


def use_session(begun: Session, credential: str) -> None:
    """Use a new session in this browser, and end its former one."""
    if current_user.is_authenticated:
        end_own_session()
    session.clear()
    session.permanent = True
    session["csrf_token"] = unsaved.make_form_token(begun.person_id)
    login_user(SignedIn(begun, credential))
    languages.choose_language(begun.person.language)  # for the next page's first sentence


def end_own_session() -> None:
    sessions.end(current_person(), current_session().id, current_change(), kind="signed out")


def safe_target(target: str) -> str:
    """Return the address if it's inside the dashboard, else the list of pages."""
    return target if _INSIDE.fullmatch(target) else url_for("dashboard.list_pages")


# Attempts to guess a password: how many are allowed, and how they're refused


def find_wait(email: str) -> timedelta | None:
    """Count an attempt to guess a password; after too many, return how long to wait.

    Attempts from elsewhere don't count where the person has signed in before.
    """
    email, network = normalise_email(email), current_client().network
    from_here = f"{network} {email}"
    if wait := find_network_wait() or rate_limits.find_wait("sign_in", PER_ACCOUNT, from_here):
        return wait
    if account_log.has_signed_in(email, network, runtime().clock()):
        return None
    return rate_limits.find_wait("sign_in", FROM_NEW_NETWORKS, email)


def find_network_wait() -> timedelta | None:
    """Like `find_wait`, for unguessable secrets: anyone could use up an account's attempts."""
    return rate_limits.find_wait(
        "sign_in", PER_CLIENT, rate_limits.client_network()
    ) or rate_limits.find_wait("sign_in", PER_NETWORK, current_client().network or "")


def refuse_attempt(wait: timedelta, field: Field, render_form: RenderForm) -> Response:
    seconds = math.ceil(wait.total_seconds())
    minutes = math.ceil(seconds / 60)
    field.errors = [
        ngettext(
            "Too many attempts. Please wait %(minutes)s minute.",
            "Too many attempts. Please wait %(minutes)s minutes.",
            minutes,
            minutes=minutes,
        )
    ]
    response = render_form(status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def refuse_wrong_password(field: Field, render_form: RenderForm) -> Response | None:
    """Return a refusal if the field isn't the person's current password, else None.

    Counts by session, so that nobody else can use up the attempts.
    """
    person = current_person()
    if wait := rate_limits.find_wait("sign_in", PER_SESSION, current_session().id):
        return refuse_attempt(wait, field, render_form)
    if is_correct_password(field.data or "", person.password_hash):
        return None
    field.errors = [gettext("This isn't your current password.")]
    return store_failure(person.email, render_form(status=422), "confirmation failed")


def store_failure(email: str, response: Response, kind: str) -> Response:
    """Store a failed attempt in the account's log once the answer is sent.

    The time to answer must not reveal whether the account exists.
    """
    email, now, client = normalise_email(email), runtime().clock(), current_client()
    response.call_on_close(partial(account_log.store_failure, email, now, client, kind))
    return response
