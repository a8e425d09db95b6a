"""The question "Is it you?" before routes that state `confirms`, unless answered recently.

Each answer is a field of the form that asks, next to those of the pending form.
"""

from functools import partial

from flask import Response, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import login_user
from wtforms import PasswordField
from wtforms.validators import InputRequired, Length

from embed.domain.passwords import MAX_LENGTH
from embed.people import passkeys, sessions
from embed.web.current import runtime
from embed.web.dashboard import unsaved
from embed.web.dashboard.access import SignedIn, current_session
from embed.web.dashboard.blueprint import find_target
from embed.web.dashboard.passkeys import make_ceremony
from embed.web.dashboard.responses import MAX_FLASHED, Form, render, show_mistakes
from embed.web.dashboard.routes import ANYBODY, FORM, PERSON, blueprint, current_route, route
from embed.web.dashboard.sign_in import RenderForm, refuse_wrong_password, safe_target
from embed.web.languages import lazy_gettext


class ConfirmForm(Form):
    present_password = PasswordField(
        lazy_gettext("Password"), [InputRequired(), Length(max=MAX_LENGTH)]
    )


@blueprint.before_request  # after those of blueprint.py: only our own forms, of people who may
def ask_who_it_is() -> ResponseReturnValue | None:
    """Ask first if the session hasn't been confirmed for a while.

    A form isn't lost: the page that asks holds its fields, and sends them to the same address with
    the password.
    """
    stated = current_route()
    if not stated.confirms or _is_confirmed():
        return None
    if request.method == "POST":
        return _ask(status=403)
    if stated.downloaded_from is None:
        return redirect(url_for("dashboard.confirm", next=find_target()))
    # A download would leave the browser on the page that asks.
    page = url_for(f"dashboard.{stated.downloaded_from}", **request.view_args or {})
    return redirect(url_for("dashboard.confirm", next=page, download=find_target()))


@blueprint.before_request  # after the question, whose page holds the encrypted text
def show_unsaved_form() -> ResponseReturnValue | None:
    """Show a form again that was sent after its session had ended; nothing else is done with it."""
    if unsaved.FIELD not in request.form or current_route().needs == ANYBODY:
        return None
    return None if unsaved.show_again() else redirect(url_for("dashboard.list_pages"), 303)


@route("/confirm", methods=FORM, needs=PERSON, help="owners#sign-in")
def confirm() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if not _is_confirmed() and (asked := _ask()):  # another tab may have done it
        return asked
    download = safe_target(request.args.get("download", ""))
    # Ours are short. A longer one would not fit into the cookie, which has just been replaced.
    if request.method == "POST" and "download" in request.args and len(download) <= MAX_FLASHED:
        flash(download, "download")  # it begins on the next page
    return redirect(target, 303)


def _is_confirmed() -> bool:
    return sessions.is_confirmed(current_session(), runtime().clock())


def _ask(*, status: int = 200) -> ResponseReturnValue | None:
    """Return a page that asks, with this request's fields; None if they include the answer."""
    form = ConfirmForm()
    own_fields = ("csrf_token", *ANSWERS)
    fields = [each for each in request.form.items(multi=True) if each[0] not in own_fields]
    render_form = partial(render, "confirm.html", form=form, fields=fields)
    check = next((ANSWERS[each] for each in ANSWERS if each in request.form), None)
    if check is None:
        return render_form(status=status)
    if refusal := check(form, render_form):
        return refusal
    credential = sessions.confirm(current_session(), runtime().clock())
    if credential is None:
        return redirect(url_for("dashboard.sign_in"), 303)
    login_user(SignedIn(current_session(), credential))
    return None


def _check_password(form: ConfirmForm, render_form: RenderForm) -> Response | None:
    if not form.validate():
        return render_form(status=422)
    return refuse_wrong_password(form.present_password, render_form)


def _check_passkey(form: ConfirmForm, render_form: RenderForm) -> Response | None:
    with show_mistakes(form):
        passkeys.confirm(current_session(), request.form["present_passkey"], make_ceremony())
        return None
    return render_form(status=422)


# Checks by field name, which no pending form uses: a refusal, or None if the answer is right.
ANSWERS = {"present_password": _check_password, "present_passkey": _check_passkey}
