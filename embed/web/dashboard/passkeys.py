"""Adding and removing passkeys, signing in with one, and the requests for browsers."""

from functools import partial
from typing import Any

from flask import request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired, Length

from embed.domain import passkeys as ceremonies
from embed.domain.passkeys import ADD, CONFIRM, SIGN_IN, RelyingParty, issue_challenge
from embed.domain.texts import isolate
from embed.errors import NotFound
from embed.people import passkeys
from embed.people.passkeys import MAX_NAME_LENGTH, Ceremony
from embed.web.current import own_origin, runtime
from embed.web.dashboard.access import (
    current_change,
    current_client,
    current_person,
    current_session,
)
from embed.web.dashboard.filters import name_browser_of
from embed.web.dashboard.responses import Form, ask_if_sure, redirect_to, render, show_mistakes
from embed.web.dashboard.routes import ANYBODY, FORM, PERSON, blueprint, route
from embed.web.dashboard.sign_in import (
    SignInForm,
    find_network_wait,
    go_on,
    refuse_attempt,
    render_sign_in,
    safe_target,
    use_session,
)
from embed.web.languages import gettext, lazy_gettext


class PasskeyForm(Form):
    name = StringField(
        lazy_gettext("Name"),
        [InputRequired(), Length(max=MAX_NAME_LENGTH)],
        description=lazy_gettext("Where it is stored, so that you recognize it."),
    )
    passkey = HiddenField()


@blueprint.context_processor
def provide_question() -> dict[str, Any]:
    return {"ask_for_passkey": ask_for_passkey}


def find_party() -> RelyingParty | None:
    """Return the service as browsers know it, or None where passkeys can't be offered.

    Unless it's on localhost, PUBLIC_URL has to name it, since anyone can write a Host header.
    """
    party = RelyingParty.find(own_origin())
    if party and party.host != "localhost" and runtime().settings.public_url is None:
        return None
    return party


def make_ceremony() -> Ceremony:
    """Return a ceremony for this request. Raises NotFound where passkeys can't be offered."""
    party = find_party()
    if party is None:
        raise NotFound("passkeys")
    return Ceremony(party=party, signer=runtime().signer, change=current_change())


def ask_for_passkey() -> str | None:
    """Return the request for a browser, to sign in or to answer "Is it you?".

    None where passkeys can't be offered, or if the signed-in person has none.
    """
    party, signer = find_party(), runtime().signer
    if party is None:
        return None
    if not current_user.is_authenticated:
        return ceremonies.describe_request(party, issue_challenge(signer, SIGN_IN))
    known = passkeys.list_passkeys(current_person())
    known_ids = [one.credential_id for one in known if one.host == party.host]
    challenge = issue_challenge(signer, CONFIRM, current_session().id)
    return ceremonies.describe_request(party, challenge, known_ids) if known_ids else None


@route("/sign-in/passkey", methods=["POST"], needs=ANYBODY, help="owners#sign-in")
def sign_in_by_passkey() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if current_user.is_authenticated:
        return go_on(target)
    form = SignInForm(formdata=None)
    if wait := find_network_wait():
        return refuse_attempt(wait, form.password, partial(render_sign_in, form))
    with show_mistakes(form):
        use_session(*passkeys.sign_in(request.form.get("passkey", ""), make_ceremony()))
        return go_on(target)
    return render_sign_in(form)


@route("/account/passkeys", methods=FORM, needs=PERSON, confirms=True, help="owners#sign-in")
def add_passkey() -> ResponseReturnValue:
    form = PasskeyForm(name=name_browser_of(current_client()))
    if form.validate_on_submit():
        with show_mistakes(form):
            passkeys.add(
                current_session(),
                form.name.data or "",
                form.passkey.data or "",
                make_ceremony(),
            )
            return redirect_to("account", gettext("The passkey has been added."))
    return render("passkey_form.html", form=form, options=_describe_creation())


@route("/account/passkeys/<passkey_id>/remove", methods=["POST"], needs=PERSON, confirms=True)
def remove_passkey(passkey_id: str) -> ResponseReturnValue:
    own = {one.id: one for one in passkeys.list_passkeys(current_person())}
    if passkey_id not in own:
        raise NotFound(passkey_id)
    if asked := ask_if_sure(
        gettext("Remove %(name)s?", name=isolate(own[passkey_id].name)),
        gettext("You won't be able to sign in with it anymore."),
        button=gettext("Remove"),
        back=url_for("dashboard.account"),
    ):
        return asked
    passkeys.remove(current_session(), passkey_id, current_change())
    return redirect_to(
        "account",
        gettext(
            "The passkey has been removed. Your device may still store its part; delete it there."
        ),
    )


def _describe_creation() -> str:
    """Return the request for a browser to make a passkey. Raises NotFound like `make_ceremony`."""
    person, party = current_person(), make_ceremony().party
    return ceremonies.describe_creation(
        party,
        issue_challenge(runtime().signer, ADD, current_session().id),
        person_id=person.id,
        email=person.email,
        known_ids=[one.credential_id for one in passkeys.list_passkeys(person)],
    )
