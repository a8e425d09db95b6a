"""The text of a form that was sent after its session had ended, to be shown again and then saved.

The page that asks to sign in carries it, encrypted, so the server stores nothing. Only the account
that the form was made for gets it back, at the form's address.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta

import msgspec
from flask import current_app, flash, g, request
from flask_login import current_user
from itsdangerous import BadData, URLSafeTimedSerializer
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import RequestEntityTooLarge

from embed.domain.identifiers import make_token
from embed.web.current import own_origin, runtime
from embed.web.dashboard.access import current_person
from embed.web.dashboard.routes import current_route
from embed.web.languages import gettext

FIELD = "unsaved"
LIFETIME = timedelta(minutes=30)
MAX_LENGTH = 12 * 1024  # encrypted, so that the sign-in form stays below its limit
# Secrets, also those of channels, and the key that a press replaces.
_NEVER_KEPT = re.compile(
    "csrf_token|password|passkey|bot_token|access_token|webhook_url|target|topic|renewed"
)
_SIGN_INS = ("dashboard.sign_in", "dashboard.sign_in_by_passkey")


class Unsaved(msgspec.Struct, array_like=True, frozen=True):
    person_id: str
    address: str  # the form's, with its query
    fields: list[tuple[str, str]]
    expires_at: datetime


def make_form_token(person_id: str) -> str:
    """Return what a session's forms are signed with; it says whose they are when it has ended."""
    return f"{person_id} {make_token(32)}"


def is_from_here() -> bool:
    """Return whether one of the service's own pages sent the form, as far as browsers tell."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    return request.headers.get("Origin") == own_origin()


def seal_form() -> str | None:
    """Return the text of this request's form, encrypted; None if it can't be shown again."""
    try:
        fields = list(request.form.items(multi=True))
    except RequestEntityTooLarge:
        return None
    if FIELD in request.form:  # it is being shown again
        return request.form[FIELD]
    person_id = _find_person_id(request.form.get("csrf_token", ""))
    if person_id is None or not current_route().keeps_text:
        return None
    kept = [one for one in fields if not _NEVER_KEPT.search(one[0])]
    unsaved = Unsaved(person_id, _find_address(), kept, runtime().clock() + LIFETIME)
    sealed = _list_boxes()[0].encrypt(msgspec.msgpack.encode(unsaved))
    raw = urlsafe_b64encode(sealed).decode("ascii")
    return raw if kept and len(raw) <= MAX_LENGTH else None


def find_unsaved() -> Unsaved | None:
    """Return the text that this request carries; None unless it's the signed-in person's."""
    found = _read(request.form.get(FIELD, ""))
    if found is None or found.person_id != current_person().id:
        return None
    return found if runtime().clock() < found.expires_at else None


def keep_only_text() -> bool:
    """Drop all but the text from a form that another session of the same account sent.

    Returns False, and drops nothing, if the text can't be shown again.
    """
    value = seal_form()
    if not (value and current_user.is_authenticated and is_from_here()):
        return False
    form, request.form = request.form, ImmutableMultiDict({FIELD: value})
    found = find_unsaved()
    if found and (_is_of_here(found) or request.endpoint in _SIGN_INS):
        return True
    request.form = form
    return False


def show_again() -> bool:
    """Fill the form's page with the text that this request carries; False if it isn't for it.

    See Form.validate, which keeps it from being saved.
    """
    found = find_unsaved()
    if found is None or not _is_of_here(found):
        return False
    request.form = ImmutableMultiDict(found.fields)
    g.is_shown_again = True
    flash(gettext("What you typed isn't saved yet."), "weak")
    return True


def _is_of_here(unsaved: Unsaved) -> bool:
    return current_route().keeps_text and unsaved.address == _find_address()


def _find_address() -> str:
    return request.full_path.rstrip("?")


def _find_person_id(raw_token: str) -> str | None:
    """Return whose form a token of Flask-WTF is from, even if its session has ended."""
    keys = current_app.config["WTF_CSRF_SECRET_KEY"]
    try:
        token = URLSafeTimedSerializer(keys, salt="wtf-csrf-token").loads(raw_token)
    except BadData:
        return None
    person_id, space, _ = token.partition(" ")
    return person_id if space else None  # before the first sign-in, it says nothing


def _read(raw: str) -> Unsaved | None:
    try:
        sealed = urlsafe_b64decode(raw)
    except ValueError:
        return None
    for box in _list_boxes():
        try:
            return msgspec.msgpack.decode(box.decrypt(sealed), type=Unsaved)
        except (CryptoError, ValueError, msgspec.MsgspecError):
            continue
    return None


def _list_boxes() -> list[SecretBox]:
    """Return what encrypts, with the first secret key, and decrypts."""
    keys = runtime().secret_keys
    return [SecretBox(hmac.digest(one.encode(), b"embed unsaved forms", "sha256")) for one in keys]
