"""The errors that callers see, with their HTTP statuses."""

from datetime import timedelta
from decimal import Decimal

# docs/api.md, Errors, says when each is returned. The specified codes:
SPEC_STATUS_BY_CODE = {
    "invalid_json": 400,
    "missing_fields": 400,
    "invalid_wallet_address": 400,
    "invalid_nickname_length": 400,
    "invalid_nickname_chars": 400,
    "invalid_nonce": 400,
    "nonce_binding_mismatch": 400,
    "missing_tracking_page_id": 400,
    "missing_key": 401,
    "invalid_key": 401,
    "revoked_key": 401,
    "missing_origin": 401,
    "invalid_signature": 401,
    "origin_not_allowed": 403,
    "embed_disabled": 403,
    "not_found": 404,
    "page_not_found": 404,
    "duplicate": 409,
    "ca_gate_failed": 422,
    "cooldown_active": 429,
    "queue_full": 429,
    "rate_limit_key": 429,
    "rate_limit_ip": 429,
    "rate_limit_session": 429,
}
# Our additions:
OWN_STATUS_BY_CODE = {
    "bad_request": 400,
    "invalid_action": 400,
    "invalid_host": 400,
    "not_accepted": 403,
    "secret_key_required": 403,
    "wallet_not_found": 404,
    "chain_disabled": 409,
    "method_not_allowed": 405,
    "internal_error": 500,
    "unavailable": 503,
    "balance_unavailable": 503,
}
STATUS_BY_CODE = SPEC_STATUS_BY_CODE | OWN_STATUS_BY_CODE


class ApiError(Exception):
    """A refusal; the caller sees ``{"error": code, **details}``."""

    def __init__(
        self, code: str, *, retry_after: timedelta | None = None, **details: Decimal
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = STATUS_BY_CODE[code]
        self.retry_after = retry_after
        self.details = details


class InvalidInput(ValueError):
    """An owner or operator typed an invalid value; the text is a sentence for them.

    `sentence` has placeholders for `values` so the dashboard can translate it. `field` is the use
    case's name for the field, or None if the mistake isn't about a single one.
    """

    def __init__(self, sentence: str, *, field: str | None = None, **values: object) -> None:
        super().__init__(
            sentence % {name: _write(value) for name, value in values.items()}
            if values
            else sentence
        )
        self.sentence = sentence
        self.values = values
        self.field = field


def _write(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"


class NotFound(LookupError):
    """An owner or operator named something that does not exist; the text is a sentence for them."""
