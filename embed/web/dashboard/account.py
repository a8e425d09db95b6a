"""Signing in and out, sessions, choosing a password, the owner's language, and the colours."""

import math
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from flask import Response, current_app, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user, logout_user
from limits import parse
from wtforms import EmailField, PasswordField, SelectField, SubmitField
from wtforms.validators import EqualTo, InputRequired, Length

from embed.db.models import Person
from embed.domain.identifiers import is_id
from embed.domain.languages import LANGUAGES
from embed.domain.passwords import MAX_LENGTH, MIN_LENGTH, fingerprint, is_correct_password
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.people import accounts, sessions
from embed.people.sessions import SEEN_STORED_EVERY
from embed.web import languages, rate_limits
from embed.web.current import own_host, runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import (
    SignedIn,
    current_client,
    current_person,
    current_session,
)
from embed.web.dashboard.responses import (
    Form,
    add_error,
    redirect_with_message,
    render,
    render_mistake,
)
from embed.web.dashboard.shell import THEME_COOKIE, THEMES
from embed.web.languages import current_language, gettext, lazy_gettext, ngettext

PER_ACCOUNT = parse("10/10 minutes")
PER_ADDRESS = parse("30/10 minutes")
NEWEST = 10  # of what happened with the account
THEME_PATHS = ("/dashboard", "/docs")
THEME_KEPT = timedelta(days=365)
_INSIDE = re.compile(r"/dashboard/[!-\[\]-~]*")  # printable ASCII, no backslash
DEAD_LINK = lazy_gettext(
    "This link has been used or has expired. Whoever runs this server can create a new one:"
    " flask owners reset EMAIL"
)
# Labels by value; the type stubs of WTForms do not support this form.
_LANGUAGES: Any = LANGUAGES
_LENGTHS = {"min": MIN_LENGTH, "max": MAX_LENGTH}


class SignInForm(Form):
    email = EmailField(lazy_gettext("E-mail"), [InputRequired(), Length(max=254)])
    password = PasswordField(lazy_gettext("Password"), [InputRequired(), Length(max=MAX_LENGTH)])
    submit = SubmitField(lazy_gettext("Sign in"))


class PasswordForm(Form):
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
    again = PasswordField(
        lazy_gettext("Repeat the new password"),
        [InputRequired(), EqualTo("password", lazy_gettext("The two passwords are not the same."))],
    )
    submit = SubmitField(lazy_gettext("Set password"))


class ChangePasswordForm(PasswordForm):
    current = PasswordField(
        lazy_gettext("Current password"), [InputRequired(), Length(max=MAX_LENGTH)]
    )


class LanguageForm(Form):
    language = SelectField(
        lazy_gettext("Language"),
        choices=_LANGUAGES,
        description=lazy_gettext("Of the dashboard, and of your notifications."),
    )
    save = SubmitField(lazy_gettext("Save"))


@blueprint.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    if current_user.is_authenticated:
        return redirect(url_for("dashboard.list_pages"))
    form = SignInForm()
    if not form.validate_on_submit():
        return render("sign_in.html", form=form)
    email, password = form.email.data or "", form.password.data or ""
    if wait := find_wait(email):
        return refuse_attempt(
            wait, form.password, lambda: render("sign_in.html", form=form, status=429)
        )
    owner = accounts.find_by_password(email, password)
    if owner is None or not begin_session(owner):
        form.password.errors = [gettext("The e-mail address or the password is wrong.")]
        return _store_failure(email, render("sign_in.html", form=form, status=422))
    _warn_of_weakness(owner, password)
    return redirect(safe_target(request.args.get("next", "")), 303)


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    end_own_session()
    logout_user()
    session.clear()
    return redirect_with_message(gettext("You have signed out."), url_for("dashboard.sign_in"))


@blueprint.route("/password/<token>", methods=["GET", "POST"])
def choose_password(token: str) -> ResponseReturnValue:
    """Set a password by a one-time link from the command line, which ends every session."""
    try:
        owner_id, made_for = runtime().password_links.unsign(token)
    except ValueError:
        return render_mistake(DEAD_LINK, 404)
    owner = accounts.find_by_id(owner_id)
    if owner is None or fingerprint(owner.password_hash) != made_for:
        return render_mistake(DEAD_LINK, 404)
    form = PasswordForm()
    if not form.validate_on_submit():
        return render("password.html", form=form, owner=owner)
    try:
        owner = accounts.choose_password(
            owner_id,
            made_for,
            form.password.data or "",
            runtime().clock(),
            host=own_host(),
            client=current_client(),
        )
    except NotFound:
        return render_mistake(DEAD_LINK, 409)
    except InvalidInput as mistake:
        add_error(form, mistake)
        return render("password.html", status=422, form=form, owner=owner)
    begin_session(owner)
    return redirect_with_message(gettext("Your password is set."), url_for("dashboard.list_pages"))


@blueprint.route("/account", methods=["GET", "POST"])
def account() -> ResponseReturnValue:
    """Change the password, which ends every other session."""
    form = ChangePasswordForm()
    if not form.validate_on_submit():
        return _render_account(form)
    owner = current_person()
    if wait := find_wait(owner.email):
        return refuse_attempt(wait, form.current, lambda: _render_account(form, status=429))
    if not is_correct_password(form.current.data or "", owner.password_hash):
        form.current.errors = [gettext("This is not your current password.")]
        return _render_account(form, status=422)
    try:
        changed = accounts.choose_password(
            owner.id,
            fingerprint(owner.password_hash),
            form.password.data or "",
            runtime().clock(),
            host=own_host(),
            client=current_client(),
        )
    except InvalidInput as mistake:
        add_error(form, mistake)
        return _render_account(form, status=422)
    begin_session(changed)
    return redirect_with_message(
        gettext("Your password has been changed. Other devices are signed out."), request.path
    )


@blueprint.post("/account/sessions/<session_id>/end")
def end_session(session_id: str) -> ResponseReturnValue:
    person, now = current_person(), runtime().clock()
    if not (is_id(session_id) and sessions.end(person, session_id, now, current_client())):
        raise NotFound(session_id)
    return redirect_with_message(gettext("That browser is signed out."), _list_sessions_at())


@blueprint.post("/account/sessions/end-others")
def end_other_sessions() -> ResponseReturnValue:
    sessions.end_others(current_session(), runtime().clock(), current_client())
    return redirect_with_message(gettext("All other browsers are signed out."), _list_sessions_at())


@blueprint.post("/account/language")
def choose_language() -> ResponseReturnValue:
    """Choose the language of the owner's dashboard and notifications."""
    form = LanguageForm()
    if not form.validate_on_submit():
        return _render_account(ChangePasswordForm(formdata=None), form, status=422)
    accounts.choose_language(current_person().id, form.language.data)
    languages.choose_language(form.language.data)
    return redirect_with_message(gettext("Your language is saved."), url_for("dashboard.account"))


@blueprint.post("/account/theme")
def choose_theme() -> ResponseReturnValue:
    """Choose the colours of dashboard and documents in this browser.

    All but THEMES leaves them to the device.
    """
    response = redirect(safe_target(request.form.get("next", "")), 303)
    theme = request.form.get("theme", "")
    for path in THEME_PATHS:
        if theme not in THEMES:
            response.delete_cookie(THEME_COOKIE, path=path)
            continue
        response.set_cookie(
            THEME_COOKIE,
            theme,
            max_age=THEME_KEPT,
            path=path,
            secure=current_app.session_interface.get_cookie_secure(current_app),
            httponly=True,
            samesite="Lax",
        )
    return response


def _render_account(
    form: ChangePasswordForm, language_form: LanguageForm | None = None, *, status: int = 200
) -> Response:
    if language_form is None:
        language_form = LanguageForm(formdata=None, language=current_language())
    now = runtime().clock()
    return render(
        "account.html",
        status=status,
        form=form,
        language_form=language_form,
        sessions=sessions.list_sessions(current_person(), now),
        current=current_session(),
        hour_ago=now - SEEN_STORED_EVERY,
        log=account_log.list_events(current_person(), NEWEST),
    )


def _list_sessions_at() -> str:
    return url_for("dashboard.account", _anchor="sessions")


def find_wait(email: str) -> timedelta | None:
    """Count an attempt to guess a password; after too many, return how long to wait."""
    return rate_limits.find_sign_in_wait(
        rate_limits.client_network(), PER_ADDRESS
    ) or rate_limits.find_sign_in_wait(accounts.normalise_email(email), PER_ACCOUNT)


def refuse_attempt(
    wait: timedelta, field: PasswordField, render_form: Callable[[], Response]
) -> Response:
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
    response = render_form()
    response.headers["Retry-After"] = str(seconds)
    return response


def begin_session(owner: Person) -> bool:
    """Sign in with a new session, to prevent session fixation; this browser's former one ends.

    False if the owner was removed or got another password in the meantime.
    """
    begun = sessions.begin(
        owner,
        runtime().clock(),
        user_agent=request.headers.get("User-Agent", ""),
        client=request.remote_addr or "",
    )
    if begun is None:
        return False
    if current_user.is_authenticated:
        end_own_session()
    session.clear()
    session.permanent = True
    login_user(SignedIn(*begun))
    languages.choose_language(owner.language)  # of what the next page says first
    return True


def end_own_session() -> None:
    """End the session of this request."""
    sessions.end(
        current_person(),
        current_session().id,
        runtime().clock(),
        current_client(),
        kind="signed out",
    )


def _store_failure(email: str, response: Response) -> Response:
    """Tell the account of a failed attempt once the answer is sent.

    The time that the answer takes must not tell whether there is such an account.
    """
    email, now, client = accounts.normalise_email(email), runtime().clock(), current_client()
    response.call_on_close(partial(account_log.store_failure, email, now, client))
    return response


def _warn_of_weakness(owner: Person, password: str) -> None:
    """On the next page, advise to change a password from before passwords were judged."""
    if weakness := accounts.find_weakness_for(owner, password, own_host()):
        flash(gettext("Your password still works. %(reason)s", reason=gettext(weakness)), "weak")


def safe_target(target: str) -> str:
    """Return the address if it is inside the dashboard."""
    return target if _INSIDE.fullmatch(target) else url_for("dashboard.list_pages")
