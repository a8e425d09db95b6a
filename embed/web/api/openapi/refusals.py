"""Refusals of the API: each code with its meaning, grouped by HTTP status."""

from typing import Any

from embed.errors import STATUS_BY_CODE
from embed.logs.requests import REQUEST_ID_HEADER
from embed.web.api.openapi.responses import ANSWER_HEADERS, describe_json, refer_to_headers
from embed.web.api.openapi.schemas import describe_amount

WHEN_BY_CODE = {
    "invalid_json": "the body is no JSON, no UTF-8, nested too deeply or over 16 KiB, or its "
    "content type is not JSON",
    "missing_fields": "the body is no JSON object, or a required field is absent or no string",
    "invalid_wallet_address": "`walletAddress` is not base58 of 32 bytes",
    "invalid_nickname_length": "the normalized nickname is empty or longer than 32 characters",
    "invalid_nickname_chars": "the nickname has a character that is not allowed",
    "invalid_nonce": "the nonce is not ours, was used, or has run out",
    "nonce_binding_mismatch": "the nonce was given out for another page, wallet, key or name",
    "missing_tracking_page_id": "the query has no `trackingPageId`, or an empty one",
    "invalid_action": "`action` is neither `show` nor `withdraw`",
    "bad_request": "the request cannot be understood in any other way",
    "invalid_host": "the `Host` header is not that of `PUBLIC_URL`, or no host at all",
    "missing_key": "there is no `Authorization: Bearer` header of the right form",
    "invalid_key": "the key has the wrong form, is unknown, or belongs to another page",
    "revoked_key": "the key was revoked",
    "missing_origin": "public key, and neither `Origin` nor `Referer`",
    "invalid_signature": "the signature does not fit wallet and message, or is not base64 of 64 "
    "bytes",
    "origin_not_allowed": "public key, and the origin is not on its list",
    "embed_disabled": "the owner made the page private or switched embedding off",
    "not_found": "reading: there is no such page any more; also any unknown path",
    "page_not_found": "submitting, or a wallet's records: there is no such page any more",
    "method_not_allowed": "the path exists, but not with this method; `Allow` lists the right ones",
    "duplicate": "the wallet waits on this page, or was approved there",
    "ca_gate_failed": "the wallet holds less than the page asks for; with `balance` and "
    "`minBalance`",
    "cooldown_active": "the owner rejected this wallet a while ago",
    "queue_full": "as many submissions wait as the page allows, or it tracks as many wallets as it "
    "may",
    "rate_limit_key": "too many requests with this key",
    "rate_limit_ip": "too many requests from this address",
    "rate_limit_session": "too many nonces, submissions or requests for records by this session",
    "internal_error": "a bug on our side; the operator's log has more",
    "unavailable": "the database does not answer at the moment",
    "balance_unavailable": "the wallet's balance cannot be read at the moment; the wallet is not "
    "refused",
}

# Codes with more in their body than the code.
_DETAILS_BY_CODE = {
    "ca_gate_failed": {
        "balance": describe_amount("What the service knows of this wallet."),
        "minBalance": describe_amount("What the page asks for."),
    }
}
_EXAMPLE_BY_CODE = {
    "ca_gate_failed": {"error": "ca_gate_failed", "balance": 0, "minBalance": 100},
}
_RETRYABLE = {429, 503}


def describe_refusals(*codes: str) -> dict[str, Any]:
    """Return an operation's refusals by status; statuses come from ``embed.errors``."""
    return _group_by_status(codes, ANSWER_HEADERS)


def describe_refused_preflights(*codes: str) -> dict[str, Any]:
    """As describe_refusals, without headers that a browser takes for permission."""
    return _group_by_status(codes, refer_to_headers("Vary", REQUEST_ID_HEADER))


def _group_by_status(codes: tuple[str, ...], headers: dict[str, Any]) -> dict[str, Any]:
    statuses = sorted({STATUS_BY_CODE[code] for code in codes})
    return {
        str(status): _describe_refusal(
            [code for code in codes if STATUS_BY_CODE[code] == status],
            headers | (refer_to_headers("Retry-After") if status in _RETRYABLE else {}),
        )
        for status in statuses
    }


def _describe_refusal(codes: list[str], headers: dict[str, Any]) -> dict[str, Any]:
    fields = {"error": {"type": "string", "enum": codes}}
    for code in codes:
        fields |= _DETAILS_BY_CODE.get(code, {})
    return describe_json(
        {"type": "object", "required": list(fields), "properties": fields},
        {code: _EXAMPLE_BY_CODE.get(code, {"error": code}) for code in codes},
        "\n".join(f"- `{code}`: {WHEN_BY_CODE[code]}" for code in codes),
        headers,
    )


# For no operation in particular: another method, and what Werkzeug itself refuses.
RESPONSES = {
    "MethodNotAllowed": _describe_refusal(
        ["method_not_allowed"], ANSWER_HEADERS | refer_to_headers("Allow")
    ),
    "BadRequest": _describe_refusal(["bad_request"], ANSWER_HEADERS),
}
