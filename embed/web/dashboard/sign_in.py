"""Signing in and out, and choosing a password by a one-time link."""

import re
from functools import partial

from flask import flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user, logout_user
from wtforms import EmailField, PasswordField, SubmitField
from wtforms.validators import EqualTo, InputRequired, Length

from embed.db.models import Person, Session
from embed.domain.passwords import MAX_LENGTH, MIN_LENGTH
from embed.errors import InvalidInput, NotFound
from embed.people import passwords, sessions
from embed.web import languages
from embed.web.current import own_host, runtime
from embed.web.dashboard.attempts import find_wait, refuse_attempt, store_failure
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
from embed.web.languages import gettext, lazy_gettext

_INSIDE = re.compile(r"/dashboard/[!-\[\]-~]*")  # printable ASCII, no backslash
DEAD_LINK = lazy_gettext(
    "This link has been used or has expired. Whoever runs this server can create a new one:"
    " flask owners reset EMAIL"
)
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


@blueprint.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if current_user.is_authenticated:
        return redirect(target)
    form = SignInForm()
    if not form.validate_on_submit():
        return render("sign_in.html", form=form)
    email, password = form.email.data or "", form.password.data or ""
    if wait := find_wait(email):
        return refuse_attempt(wait, form.password, partial(render, "sign_in.html", form=form))
    person = passwords.find_by_password(email, password)
    if person is None or not begin_session(person):
        form.password.errors = [gettext("The e-mail address or the password is wrong.")]
        answer = render("sign_in.html", form=form, status=422)
        return store_failure(email, answer, "sign-in failed")
    _warn_of_weakness(person, password)
    return redirect(target, 303)


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    end_own_session()
    logout_user()
    session.clear()
    return redirect_with_message(gettext("You have signed out."), url_for("dashboard.sign_in"))


@blueprint.route("/password/<token>", methods=["GET", "POST"])
def choose_password(token: str) -> ResponseReturnValue:
    """Set a password by a one-time link from the command line.

    It ends every session, and removes passkeys.
    """
    person = passwords.find_by_link(token, runtime().signer)
    if person is None:
        return render_mistake(DEAD_LINK, 404)
    form = PasswordForm()
    if not form.validate_on_submit():
        return render("password.html", form=form, person=person)
    try:
        person = passwords.choose_password(
            person,
            form.password.data or "",
            runtime().clock(),
            host=own_host(),
            client=current_client(),
        )
    except NotFound:
        return render_mistake(DEAD_LINK, 409)
    except InvalidInput as mistake:
        add_error(form, mistake)
        return render("password.html", status=422, form=form, person=person)
    begin_session(person)
    return redirect_with_message(gettext("Your password is set."), url_for("dashboard.list_pages"))


def begin_session(person: Person) -> bool:
    """Sign in with a new session, to prevent session fixation; this browser's former one ends.

    False if the person was removed or got another password in the meantime.
    """
    begun = sessions.begin(person, runtime().clock(), current_client())
    if begun is None:
        return False
    use_session(*begun)
    return True


def use_session(begun: Session, credential: str) -> None:
    """Use a new session in this browser, whose former one ends."""
    if current_user.is_authenticated:
        end_own_session()
    session.clear()
    session.permanent = True
    login_user(SignedIn(begun, credential))
    languages.choose_language(begun.person.language)  # of what the next page says first


def end_own_session() -> None:
    """End the session of this request."""
    sessions.end(
        current_person(),
        current_session().id,
        runtime().clock(),
        current_client(),
        kind="signed out",
    )


def _warn_of_weakness(person: Person, password: str) -> None:
    """On the next page, advise to change a password from before passwords were judged."""
    if weakness := passwords.find_weakness_for(person, password, own_host()):
        flash(gettext("Your password still works. %(reason)s", reason=gettext(weakness)), "weak")


def safe_target(target: str) -> str:
    """Return the address if it is inside the dashboard."""
    return target if _INSIDE.fullmatch(target) else url_for("dashboard.list_pages")
