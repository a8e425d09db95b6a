"""Attempts to guess a password or a code: how many there may be, and how they are refused."""

import math
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from flask import Response
from limits import parse
from wtforms import Field

from embed.domain.passwords import is_correct_password
from embed.events import account_log
from embed.people.accounts import normalise_email
from embed.web import rate_limits
from embed.web.current import runtime
from embed.web.dashboard.current_person import current_client, current_person
from embed.web.languages import gettext, ngettext

PER_ACCOUNT = parse("10/10 minutes")
PER_NETWORK = parse("30/10 minutes")

RenderForm = Callable[..., Response]  # called with `status`


def find_wait(email: str) -> timedelta | None:
    """Count an attempt to guess a password; after too many, return how long to wait."""
    return find_network_wait() or rate_limits.find_wait(
        "sign_in", normalise_email(email), PER_ACCOUNT
    )


def find_network_wait() -> timedelta | None:
    """As `find_wait`, for what nobody can guess: anybody could use up an account's attempts."""
    return rate_limits.find_wait("sign_in", rate_limits.client_network(), PER_NETWORK)


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
    """Return what refuses a text that is not the person's current password; None if it is."""
    person = current_person()
    if wait := find_wait(person.email):
        return refuse_attempt(wait, field, render_form)
    if is_correct_password(field.data or "", person.password_hash):
        return None
    field.errors = [gettext("This is not your current password.")]
    return store_failure(person.email, render_form(status=422), "confirmation failed")


def store_failure(email: str, response: Response, kind: str) -> Response:
    """Tell the account of a failed attempt once the answer is sent.

    The time that the answer takes must not tell whether there is such an account.
    """
    email, now, client = normalise_email(email), runtime().clock(), current_client()
    response.call_on_close(partial(account_log.store_failure, email, now, client, kind))
    return response
