"""Errors that callers are told about, and their HTTP status."""

from datetime import timedelta
from decimal import Decimal

# The specified codes: each with its status, and when it is the answer, as in docs/api.md.
_SPEC = {
    "invalid_json": (
        400,
        "the body is no JSON, no UTF-8, nested too deeply or over 16 KiB, or its "
        "content type is not JSON",
    ),
    "missing_fields": (
        400,
        "the body is no JSON object, or a required field is absent or no string",
    ),
    "invalid_wallet_address": (400, "`walletAddress` is not base58 of 32 bytes"),
    "invalid_nickname_length": (
        400,
        "the normalized nickname is empty or longer than 32 characters",
    ),
    "invalid_nickname_chars": (400, "the nickname has a character that is not allowed"),
    "invalid_nonce": (400, "the nonce is unknown, used or expired"),
    "nonce_binding_mismatch": (400, "the nonce is for another page, wallet, key or name"),
    "missing_tracking_page_id": (400, "the query has no `trackingPageId`"),
    "missing_key": (401, "no `Authorization: Bearer` header of the right form"),
    "invalid_key": (401, "the key has the wrong form, is unknown, or belongs to another page"),
    "revoked_key": (401, "the key was revoked"),
    "missing_origin": (401, "public key, and neither `Origin` nor `Referer`"),
    "invalid_signature": (
        401,
        "the signature does not fit wallet and message, or is not base64 of 64 bytes",
    ),
    "origin_not_allowed": (403, "public key, and the origin is not on its list"),
    "embed_disabled": (403, "the owner made the page private or switched embedding off"),
    "not_found": (404, "the page to read was deleted, or there is no such path"),
    "page_not_found": (404, "anything but reading the page: it was deleted"),
    "duplicate": (409, "the wallet waits on this page, or was approved there"),
    "ca_gate_failed": (
        422,
        "the wallet holds less than the page asks for; with `balance` and `minBalance`",
    ),
    "cooldown_active": (429, "the owner rejected this wallet a while ago"),
    "queue_full": (429, "the page's queue is full, or its list of wallets"),
    "rate_limit_key": (429, "too many requests with this key, or refreshes of its page"),
    "rate_limit_ip": (429, "too many requests from this address"),
    "rate_limit_session": (429, "too many nonces or valid signatures by this session"),
}

# Our additions to it.
_OWN = {
    "bad_request": (400, "any other request that cannot be understood"),
    "invalid_action": (400, "`action` is neither `show` nor `withdraw`"),
    "invalid_host": (400, "the `Host` header is not that of `PUBLIC_URL`"),
    "not_accepted": (403, "the page does not take this submission"),
    "secret_key_required": (403, "public key, and this is for servers"),
    "wallet_not_found": (404, "the page does not track this wallet"),
    "chain_disabled": (409, "the operator set no `SOLANA_RPC_URL`, so no balance is read"),
    "method_not_allowed": (405, "the path has other methods, which `Allow` lists"),
    "internal_error": (500, "a bug; the operator's log has more"),
    "unavailable": (503, "the database does not answer now"),
    "balance_unavailable": (503, "the wallet's balance cannot be read now"),
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

    `sentence` has placeholders for `values`, so that the dashboard can translate it. `field` is
    the use case's name for the field; None: it is about no single field.
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
