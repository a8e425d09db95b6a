"""A person's account: how they sign in, sessions, language, colors of the dashboard, log."""

from datetime import timedelta
from functools import partial

from flask import Response, current_app, request
from flask.typing import ResponseReturnValue
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from embed.db.models import AccountEvent
from embed.db.pagination import Cursor
from embed.domain.clients import Client
from embed.domain.identifiers import is_id
from embed.domain.passwords import MAX_LENGTH
from embed.errors import NotFound
from embed.events import account_log
from embed.events.account_log import write_sentence
from embed.events.kinds import read_facts
from embed.people import accounts, passkeys, passwords, sessions
from embed.people.sessions import SEEN_STORED_EVERY
from embed.translations import LANGUAGES
from embed.web import languages
from embed.web.current import own_host, runtime
from embed.web.dashboard.access import (
    current_change,
    current_person,
    current_session,
)
from embed.web.dashboard.filters import describe_actor
from embed.web.dashboard.passkeys import find_party
from embed.web.dashboard.responses import (
    THEME_COOKIE,
    THEMES,
    redirect_to,
    render,
    show_mistakes,
)
from embed.web.dashboard.routes import FORM, PERSON, blueprint, route
from embed.web.dashboard.sign_in import (
    PasswordForm,
    begin_session,
    refuse_wrong_password,
)
from embed.web.languages import gettext, lazy_gettext

NEWEST = 10  # events of the account, on its page
SLICE_SIZE = 50  # the same, on the log's page
THEME_PATHS = ("/dashboard", "/docs")
THEME_KEPT = timedelta(days=365)


class ChangePasswordForm(PasswordForm):
    current = PasswordField(
        lazy_gettext("Current password"), [InputRequired(), Length(max=MAX_LENGTH)]
    )


@route("/account", methods=FORM, needs=PERSON, help="owners#sign-in")
def account() -> ResponseReturnValue:
    """Change the password, which ends every other session."""
    form = ChangePasswordForm()
    if not form.validate_on_submit():
        return _render_account(form)
    if refusal := refuse_wrong_password(form.current, partial(_render_account, form)):
        return refusal
    with show_mistakes(form):
        changed = passwords.change_password(
            current_session(), form.password.data or "", current_change(), host=own_host()
        )
        begin_session(changed)
        return redirect_to(
            "account", gettext("Your password has been changed. Your other devices are signed out.")
        )
    return _render_account(form, status=422)


@route("/account/sessions/<session_id>/end", methods=["POST"], needs=PERSON)
def end_session(session_id: str) -> ResponseReturnValue:
    if not (is_id(session_id) and sessions.end(current_person(), session_id, current_change())):
        raise NotFound(session_id)
    return redirect_to("account", gettext("The browser is signed out."), _anchor="sessions")


@route("/account/sessions/end-others", methods=["POST"], needs=PERSON)
def end_other_sessions() -> ResponseReturnValue:
    sessions.end_others(current_session(), current_change())
    return redirect_to("account", gettext("All other browsers are signed out."), _anchor="sessions")


@route("/account/language", methods=["POST"], needs=PERSON)
def choose_language() -> ResponseReturnValue:
    language = request.form.get("language", "")
    accounts.choose_language(current_person().id, language)
    languages.choose_language(language)
    return redirect_to("account", gettext("Your language is saved."), _anchor="language-title")


@route("/account/theme", methods=["POST"], needs=PERSON)
def choose_theme() -> ResponseReturnValue:
    """Choose the colors of dashboard and documents in this browser.

    Anything but THEMES leaves them to the device.
    """
    response = redirect_to("account", gettext("Saved."), _anchor="colors-title")
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


@route("/account/log", needs=PERSON, help="owners#sign-in")
def show_account_log() -> ResponseReturnValue:
    after = Cursor.parse(request.args.get("after"))
    log = account_log.list_events(current_person(), SLICE_SIZE, after)
    return render("account_log.html", after=after, log=log)


@blueprint.app_template_filter("account_sentence")
def describe_event(event: AccountEvent) -> str:
    facts = read_facts(event.data)
    if "actor" in facts:
        facts["actor"] = describe_actor(facts["actor"])
    return write_sentence(event.kind, facts, gettext)


@blueprint.app_template_filter("event_client")
def read_client(event: AccountEvent) -> Client | None:
    """Return the browser and system an event came from, or None if neither is known."""
    facts = read_facts(event.data)
    named = {name: facts[name] for name in ("browser", "system") if name in facts}
    return Client(**named) if named else None


def _render_account(form: PasswordForm, *, status: int = 200) -> Response:
    person, now = current_person(), runtime().clock()
    return render(
        "account.html",
        status=status,
        form=form,
        languages=LANGUAGES,
        party=find_party(),
        passkeys=passkeys.list_passkeys(person),
        sessions=sessions.list_sessions(person, now),
        current=current_session(),
        hour_ago=now - SEEN_STORED_EVERY,
        log=account_log.list_events(person, NEWEST),
    )
