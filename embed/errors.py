"""Errors that are reported to callers, with their HTTP status."""

from datetime import timedelta
from decimal import Decimal

# The specified codes, each with its status and its cause, as in docs/api.md.
_SPEC = {
    "invalid_json": (
        400,
        "the body isn't JSON in UTF-8, is nested too deeply or over 16 KiB, or its content "
        "type isn't JSON",
    ),
    "missing_fields": (
        400,
        "the body isn't a JSON object, or a required field is missing or not a string",
    ),
    "invalid_wallet_address": (400, "`walletAddress` isn't base58 of 32 bytes"),
    "invalid_nickname_length": (400, "the normalized name is empty or longer than 32 characters"),
    "invalid_nickname_chars": (400, "the name has a character that isn't allowed"),
    "invalid_nonce": (400, "the nonce is unknown, used or expired"),
    "nonce_binding_mismatch": (400, "the nonce is for another page, wallet, key or name"),
    "missing_tracking_page_id": (400, "the query has no `trackingPageId`"),
    "missing_key": (401, "there's no valid `Authorization: Bearer` header"),
    "invalid_key": (401, "the key is malformed, unknown, or for another page"),
    "revoked_key": (401, "the key was revoked"),
    "missing_origin": (401, "public key, and neither `Origin` nor `Referer`"),
    "invalid_signature": (
        401,
        "the signature doesn't match the wallet and the message, or isn't base64 of 64 bytes",
    ),
    "origin_not_allowed": (403, "public key, and the origin isn't on its list"),
    "embed_disabled": (403, "the owner made the page private or turned embedding off"),
    "not_found": (404, "the page to read was deleted, or the path doesn't exist"),
    "page_not_found": (404, "the page was deleted (reading it returns `not_found`)"),
    "duplicate": (409, "the wallet is already pending or approved on this page"),
    "ca_gate_failed": (
        422,
        "the wallet holds less than the minimum balance; with `balance` and `minBalance`",
    ),
    "cooldown_active": (429, "the owner rejected this wallet recently"),
    "queue_full": (429, "the page's queue or list is full"),
    "rate_limit_key": (429, "too many requests with this key, or refreshes of its page"),
    "rate_limit_ip": (429, "too many requests from this address"),
    "rate_limit_session": (429, "too many nonces or signatures from this session"),
}

# Our additions to it.
_OWN = {
    "bad_request": (400, "the request can't be understood for another reason"),
    "invalid_action": (400, "`action` is neither `show` nor `withdraw`"),
    "invalid_host": (400, "the `Host` header isn't that of `PUBLIC_URL`"),
    "not_accepted": (403, "the owner's deny list refuses this submission"),
    "secret_key_required": (403, "public key, but the endpoint is for servers"),
    "wallet_not_found": (404, "the page doesn't have this wallet"),
    "chain_disabled": (409, "the service has no RPC server (`SOLANA_RPC_URL`)"),
    "method_not_allowed": (405, "the path has other methods, listed in `Allow`"),
    "internal_error": (500, "a bug; the server log has details"),
    "unavailable": (503, "the database isn't available now"),
    "balance_unavailable": (503, "the wallet's balance can't be read now"),
}

SPEC_STATUS_BY_CODE = {code: status for code, (status, _) in _SPEC.items()}
OWN_STATUS_BY_CODE = {code: status for code, (status, _) in _OWN.items()}
STATUS_BY_CODE = SPEC_STATUS_BY_CODE | OWN_STATUS_BY_CODE
WHEN_BY_CODE = {code: when for code, (_, when) in (_SPEC | _OWN).items()}


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

    `sentence` has placeholders for `values`, so the dashboard can translate it. `field` is the
    use case's name for the field; None if it isn't about a single field.
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
    """An owner or operator named something that doesn't exist; the text is a sentence for them."""
