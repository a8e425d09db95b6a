"""Making recovery codes, and signing in with one."""

from functools import partial

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from wtforms import EmailField, HiddenField, StringField, SubmitField
from wtforms.validators import InputRequired, Length

from embed.domain.recovery_codes import make_codes
from embed.errors import InvalidInput
from embed.people import recovery_codes
from embed.web.current import runtime
from embed.web.dashboard.attempts import find_network_wait, refuse_attempt, store_failure
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import current_client, current_session
from embed.web.dashboard.responses import Form, add_error, redirect_with_message, render
from embed.web.dashboard.sign_in import safe_target, use_session
from embed.web.languages import gettext, lazy_gettext, ngettext

MAX_TYPED = 100


class KeepForm(Form):
    offer = HiddenField()
    code = StringField(
        lazy_gettext("One of the new codes"),
        [InputRequired(), Length(max=MAX_TYPED)],
        description=lazy_gettext(
            "Type it in from where you keep them. It can still be used afterwards."
        ),
    )
    submit = SubmitField(lazy_gettext("Use the new codes"))


class RecoveryForm(Form):
    email = EmailField(lazy_gettext("E-mail"), [InputRequired(), Length(max=254)])
    code = StringField(lazy_gettext("Recovery code"), [InputRequired(), Length(max=MAX_TYPED)])
    submit = SubmitField(lazy_gettext("Sign in"))


@blueprint.post("/account/recovery-codes")
def make_recovery_codes() -> ResponseReturnValue:
    """Show new codes, in this answer alone; they count after `keep_recovery_codes`."""
    codes = make_codes()
    offer = runtime().code_offers.sign(codes, current_session().id)
    form = KeepForm(formdata=None, offer=offer)
    return render("recovery_codes.html", form=form, codes=codes, status=201, shows_secret=True)


@blueprint.post("/account/recovery-codes/keep")
def keep_recovery_codes() -> ResponseReturnValue:
    form, person_session = KeepForm(), current_session()
    offer = recovery_codes.read_offer(person_session, form.offer.data or "", runtime().code_offers)
    if not form.validate():
        return _render_again(form)
    try:
        recovery_codes.keep(
            person_session, offer, form.code.data or "", runtime().clock(), current_client()
        )
    except InvalidInput as mistake:
        if mistake.field is None:
            raise
        add_error(form, mistake)
        return _render_again(form)
    return redirect_with_message(
        gettext("Your new recovery codes count from now on."),
        url_for("dashboard.account", _anchor="recovery-codes"),
    )


def _render_again(form: KeepForm) -> Response:
    return render("recovery_codes.html", form=form, codes=None, status=422)


@blueprint.route("/sign-in/recovery", methods=["GET", "POST"])
def use_recovery_code() -> ResponseReturnValue:
    """Sign in with a recovery code in place of a password."""
    target = safe_target(request.args.get("next", ""))
    if current_user.is_authenticated:
        return redirect(target)
    form = RecoveryForm()
    if not form.validate_on_submit():
        return _render_sign_in(form)
    email, code = form.email.data or "", form.code.data or ""
    if wait := find_network_wait():
        return refuse_attempt(wait, form.code, partial(_render_sign_in, form))
    signed_in = recovery_codes.sign_in(email, code, runtime().clock(), current_client())
    if signed_in is None:
        form.code.errors = [gettext("The e-mail address or the code is wrong.")]
        return store_failure(email, _render_sign_in(form, status=422), "recovery code failed")
    session, credential, left = signed_in
    use_session(session, credential)
    return redirect_with_message(
        ngettext(
            "You signed in with a recovery code. %(count)s more is left.",
            "You signed in with a recovery code. %(count)s more are left.",
            left,
            count=left,
        ),
        target,
    )


def _render_sign_in(form: RecoveryForm, *, status: int = 200) -> Response:
    return render("recovery_sign_in.html", form=form, status=status)
