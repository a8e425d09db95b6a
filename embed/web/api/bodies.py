"""JSON bodies, parsed by our own code, since each error has its own code (spec 4.2, 4.3)."""

import json
from typing import NoReturn

from flask import request

from embed.errors import ApiError
from embed.submissions.ownership import RecordRequest
from embed.submissions.submitting import SubmissionRequest


def read_submission_request() -> SubmissionRequest:
    """Raises ApiError `invalid_json`, `missing_fields`."""
    fields = _read_fields()
    names = ("trackingPageId", "walletAddress", "nickname", "nonceId", "signature")
    return SubmissionRequest(*(_get_string(fields, name) for name in names))


def read_nonce_request() -> tuple[str, str, str | None]:
    """Return the page's id, the wallet's address and the nickname, if any, unchecked.

    Raises ApiError `invalid_json`, `missing_fields`.
    """
    fields = _read_fields()
    nickname = None if fields.get("nickname") is None else _get_string(fields, "nickname")
    return _get_string(fields, "trackingPageId"), _get_string(fields, "walletAddress"), nickname


def read_record_nonce_request() -> tuple[str, str, str]:
    """Return the page's id, the wallet's address and the action, unchecked.

    Raises ApiError `invalid_json`, `missing_fields`.
    """
    fields = _read_fields()
    return (
        _get_string(fields, "trackingPageId"),
        _get_string(fields, "walletAddress"),
        _get_string(fields, "action"),
    )


def read_record_request() -> RecordRequest:
    """Raises ApiError `invalid_json`, `missing_fields`."""
    fields = _read_fields()
    names = ("trackingPageId", "walletAddress", "nonceId", "signature")
    return RecordRequest(*(_get_string(fields, name) for name in names))


def _read_fields() -> dict[str, object]:
    body = _read_json()
    if not isinstance(body, dict):
        raise ApiError("missing_fields")
    return body


def _get_string(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ApiError("missing_fields")
    return value


def _read_json() -> object:
    if not request.is_json:
        raise ApiError("invalid_json")
    try:
        text = _read_body().decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ApiError("invalid_json") from None


def _read_body() -> bytes:
    try:
        return request.get_data()
    except Exception:
        # Too long, truncated, or with invalid chunks: the WSGI server reads the body here and
        # may raise any exception, but only for a body that cannot be read.
        raise ApiError("invalid_json") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
