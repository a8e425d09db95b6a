"""Wallets as a way in: signing in, "Is it you?", linking and unlinking.

The pages show the steps of signing that visitors know (templates/widget/flow.html). Their script
sends forms to the same address, and reads JSON: first the wallet's address, for a text to sign,
then the signature too.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user, login_user

from embed.db.models import Session
from embed.domain.account_nonces import Purpose
from embed.domain.identifiers import is_id
from embed.errors import ApiError, InvalidInput, NotFound
from embed.people import linked_wallets
from embed.people.linked_wallets import SignedText, Signing
from embed.web.current import own_host, runtime
from embed.web.dashboard.attempts import find_network_wait
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import (
    SignedIn,
    current_client,
    current_person,
    current_session,
)
from embed.web.dashboard.responses import redirect_with_message, render, write_mistake
from embed.web.dashboard.sign_in import safe_target, use_session
from embed.web.languages import gettext

View = Callable[[], ResponseReturnValue]


@blueprint.context_processor
def provide_answer() -> dict[str, Any]:
    return {"has_linked_wallet": lambda: linked_wallets.has_wallet(current_person())}


def _answers_json(view: View) -> View:
    """Show the page for a GET; answer its script, refusals included, by JSON.

    A session that has ended is answered as everywhere: the script then loads the page again.
    """

    @wraps(view)
    def answer() -> ResponseReturnValue:
        try:
            return view()
        except ApiError as refusal:
            body = {"error": refusal.code}
            wait = refusal.retry_after
            headers = {"Retry-After": str(math.ceil(wait.total_seconds()))} if wait else {}
            return body, refusal.status, headers
        except InvalidInput as mistake:
            return {"error": "refused", "sentence": write_mistake(mistake)}, 422

    return answer


@blueprint.route("/sign-in/wallet", methods=["GET", "POST"])
@_answers_json
def sign_in_by_wallet() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if current_user.is_authenticated:
        return redirect(target) if request.method == "GET" else {"next": target}
    if request.method == "GET":
        return _render("sign in", url_for("dashboard.sign_in", next=request.args.get("next")))
    signed, signing = _read_form()
    if signed is None:
        return _issue_nonce("sign in", signing)
    use_session(*linked_wallets.sign_in(signed, signing))
    return {"next": target}


@blueprint.route("/confirm/wallet", methods=["GET", "POST"])
@_answers_json
def confirm_by_wallet() -> ResponseReturnValue:
    target = safe_target(request.args.get("next", ""))
    if request.method == "GET":
        return _render("confirm", url_for("dashboard.confirm", next=request.args.get("next")))
    signed, signing = _read_form()
    if signed is None:
        return _issue_nonce("confirm", signing, current_session())
    credential = linked_wallets.confirm(current_session(), signed, signing)
    if credential is None:
        raise NotFound(current_session().id)
    login_user(SignedIn(current_session(), credential))
    return {"next": target}


@blueprint.route("/account/wallets/link", methods=["GET", "POST"])
@_answers_json
def link_wallet() -> ResponseReturnValue:
    if request.method == "GET":
        return _render("link", _list_at())
    signed, signing = _read_form()
    if signed is None:
        return _issue_nonce("link", signing, current_session())
    linked_wallets.link(current_session(), signed, signing)
    flash(gettext("Your wallet is linked. You can sign in with it now."), "done")
    return {"next": _list_at()}


@blueprint.post("/account/wallets/<linked_wallet_id>/unlink")
def unlink_wallet(linked_wallet_id: str) -> ResponseReturnValue:
    if not is_id(linked_wallet_id):
        raise NotFound(linked_wallet_id)
    now, client = runtime().clock(), current_client()
    linked_wallets.unlink(current_session(), linked_wallet_id, now, client)
    return redirect_with_message(gettext("The wallet is unlinked."), _list_at())


def _read_form() -> tuple[SignedText | None, Signing]:
    """Return what a wallet signed, None if its text is still to be made; count the request.

    Raises ApiError `rate_limit_ip`.
    """
    if wait := find_network_wait():
        raise ApiError("rate_limit_ip", retry_after=wait)
    signing = Signing(
        nonces=runtime().account_nonces,
        host=own_host(),
        now=runtime().clock(),
        client=current_client(),
    )
    if "signature" not in request.form:
        return None, signing
    signed = SignedText(
        raw_nonce_id=request.form.get("nonceId", ""),
        raw_address=request.form.get("address", ""),
        raw_signature=request.form["signature"],
    )
    return signed, signing


def _issue_nonce(
    purpose: Purpose, signing: Signing, session: Session | None = None
) -> ResponseReturnValue:
    address = request.form.get("address", "")
    nonce_id, nonce = linked_wallets.issue_nonce(purpose, address, signing, session)
    return {"nonceId": nonce_id, "message": nonce.build_message()}


def _render(purpose: Purpose, back: str) -> ResponseReturnValue:
    return render("wallet.html", purpose=purpose, back=back, scripts=runtime().extra_scripts)


def _list_at() -> str:
    return url_for("dashboard.account", _anchor="linked-wallets")
