"""JSON bodies, parsed by our own code, since each error has its own code (spec 4.2, 4.3)."""

import json
from typing import NoReturn

from flask import request

from embed.errors import ApiError
from embed.submissions.submitting import SubmissionRequest


def read_submission_request() -> SubmissionRequest:
    """Raises ApiError `invalid_json`, `missing_fields`."""
    return SubmissionRequest(
        *_read_strings("trackingPageId", "walletAddress", "nickname", "nonceId", "signature")
    )


def read_nonce_request() -> tuple[str, str]:
    """Return the page's id and the wallet's address, unchecked.

    Raises ApiError `invalid_json`, `missing_fields`.
    """
    page_id, raw_wallet_address = _read_strings("trackingPageId", "walletAddress")
    return page_id, raw_wallet_address


def _read_strings(*names: str) -> list[str]:
    body = _read_json()
    if not isinstance(body, dict):
        raise ApiError("missing_fields")
    values = [value for name in names if isinstance(value := body.get(name), str)]
    if len(values) < len(names):
        raise ApiError("missing_fields")
    return values


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
