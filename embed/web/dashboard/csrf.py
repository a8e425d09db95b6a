"""Tokens that tell the dashboard's own forms from forged ones.

No two answers hold the same token. Pages are compressed, and a secret that every answer repeats
beside text that others choose could be guessed from lengths (https://breachattack.com/).
"""

import hmac
import secrets
from typing import Any

from flask import g, request, session
from wtforms.csrf.core import CSRF

FIELD = "csrf_token"


class SessionCsrf(CSRF):
    """The hidden field of a form; `is_own_form` checks it for all forms."""

    def generate_csrf_token(self, csrf_token_field: Any) -> str:
        return make_token()

    def validate_csrf_token(self, form: Any, field: Any) -> None:
        """Leave it to `is_own_form`, which runs before each POST."""


def make_token() -> str:
    """Return this answer's token: a salt, and the salt signed with the session's secret."""
    if FIELD not in g:
        session.setdefault(FIELD, secrets.token_urlsafe())
        salt = secrets.token_urlsafe(16)
        setattr(g, FIELD, f"{salt}.{_sign(salt)}")
    return str(g.get(FIELD))


def is_own_form() -> bool:
    """Tell whether the form of this request is from a page that this session was given.

    Over HTTPS, its Referer has to say so too.
    """
    salt, _, signature = request.form.get(FIELD, "").partition(".")
    if FIELD not in session or not hmac.compare_digest(signature.encode(), _sign(salt).encode()):
        return False
    return not request.is_secure or (request.referrer or "").startswith(f"https://{request.host}/")


def _sign(salt: str) -> str:
    return hmac.digest(session[FIELD].encode(), salt.encode(), "sha256").hex()
