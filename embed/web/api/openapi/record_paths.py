"""The endpoints of a wallet's records and their preflights, as OpenAPI paths."""

from typing import Any

from embed.web.api.openapi.operations import BY_ANY, describe_preflight
from embed.web.api.openapi.parameters import ORIGIN_HEADERS, SESSION, describe_body
from embed.web.api.openapi.refusals import describe_refusals
from embed.web.api.openapi.responses import describe_success

_BY_SIGNED_REQUEST = (
    *BY_ANY,
    "invalid_json",
    "missing_fields",
    "invalid_wallet_address",
    "invalid_nonce",
    "nonce_binding_mismatch",
    "invalid_signature",
    "page_not_found",
    "rate_limit_session",
)


def _link_to(operation_id: str, action: str) -> dict[str, Any]:
    return {
        "operationId": operation_id,
        "description": f"With the wallet's signature of `message`, if `action` was `{action}`.",
        "requestBody": {
            "trackingPageId": "$request.body#/trackingPageId",
            "walletAddress": "$request.body#/walletAddress",
            "nonceId": "$response.body#/nonceId",
        },
    }


_CREATE_NONCE = {
    "operationId": "createRecordNonce",
    "summary": "Ask for a nonce to see or withdraw a wallet's records",
    "description": "Returns a text for the wallet to sign, which says what the signature serves "
    "for. It works once, for this page, wallet, key and action.",
    "parameters": [*ORIGIN_HEADERS, SESSION],
    "requestBody": describe_body("RecordNonceRequest"),
    "responses": {
        "200": describe_success(
            "RecordNonce",
            "The nonce.",
            schema="Nonce",
            links={
                "show": _link_to("showWalletRecords", "show"),
                "withdraw": _link_to("withdrawWallet", "withdraw"),
            },
        ),
        **describe_refusals(
            *BY_ANY,
            "invalid_json",
            "missing_fields",
            "invalid_wallet_address",
            "invalid_action",
            "rate_limit_session",
        ),
    },
}

_SHOW = {
    "operationId": "showWalletRecords",
    "summary": "See what the page keeps of a wallet",
    "description": "For whoever holds the wallet's key, without a cookie or an account; also while "
    "the page is private or embedding is off.",
    "parameters": [*ORIGIN_HEADERS, SESSION],
    "requestBody": describe_body("RecordRequest"),
    "responses": {
        "200": describe_success("WalletRecords", "What the page keeps."),
        **describe_refusals(*_BY_SIGNED_REQUEST),
    },
}

_WITHDRAW = {
    "operationId": "withdrawWallet",
    "summary": "Withdraw a wallet",
    "description": "Erases what was sent for the wallet before its nonce was issued, and takes the "
    "wallet off the list if only that put it there. It cannot be undone.",
    "parameters": [*ORIGIN_HEADERS, SESSION],
    "requestBody": describe_body("RecordRequest"),
    "responses": {
        "200": describe_success("WithdrawnWallet", "What became of the wallet."),
        **describe_refusals(*_BY_SIGNED_REQUEST),
    },
}

_PREFLIGHT = ("POST", "Authorization, Content-Type")

RECORD_PATHS: dict[str, dict[str, Any]] = {
    "/wallet-records/nonce": {
        "post": _CREATE_NONCE,
        "options": describe_preflight("preflightRecordNonce", *_PREFLIGHT),
    },
    "/wallet-records": {
        "post": _SHOW,
        "options": describe_preflight("preflightWalletRecords", *_PREFLIGHT),
    },
    "/wallet-records/withdraw": {
        "post": _WITHDRAW,
        "options": describe_preflight("preflightWithdrawal", *_PREFLIGHT),
    },
}
