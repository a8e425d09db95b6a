"""The endpoints (spec 4.1 to 4.4) and their preflights (4.5), as OpenAPI paths."""

from typing import Any

from embed.web.api.openapi.operations import BY_ANY, describe_preflight
from embed.web.api.openapi.parameters import (
    CONDITIONS,
    ORIGIN_HEADERS,
    PAGE_IN_PATH,
    PAGE_IN_QUERY,
    SESSION,
    describe_body,
)
from embed.web.api.openapi.refusals import describe_refusals
from embed.web.api.openapi.responses import DELTA_HEADERS, PAYLOAD_HEADERS, describe_success

_READ = {
    "operationId": "readTrackingPage",
    "summary": "Read a page",
    "description": "Returns the public data of a tracking page. Do not keep the answer in a cache "
    "that visitors share. Ask at most once a second. At `/embed/api` the answer has an `ETag`, "
    "and clients that send it back get only what is new.",
    "parameters": [*ORIGIN_HEADERS, *CONDITIONS],
    "responses": {
        "200": describe_success("TrackingPage", "The page.", headers=PAYLOAD_HEADERS),
        "226": describe_success(
            "TrackingPageDelta",
            "Only at `/embed/api`, if `A-IM` asks for it: what has changed.",
            headers=DELTA_HEADERS,
        ),
        "304": {
            "description": "Only at `/embed/api`: the client has the present payload.",
            "headers": PAYLOAD_HEADERS,
        },
        **describe_refusals(*BY_ANY, "embed_disabled", "not_found"),
    },
}

_CREATE_NONCE = {
    "operationId": "createNonce",
    "summary": "Ask for a nonce",
    "description": "Starts a submission: returns a text for the wallet to sign. It works once, "
    "for this page, wallet and key, and for ten minutes unless the operator chose otherwise.",
    "parameters": [*ORIGIN_HEADERS, SESSION],
    "requestBody": describe_body("NonceRequest"),
    "responses": {
        "200": describe_success(
            "Nonce",
            "The nonce.",
            links={
                "submit": {
                    "operationId": "createSubmission",
                    "description": "With the wallet's signature of `message`, and a nickname.",
                    "requestBody": {
                        "trackingPageId": "$request.body#/trackingPageId",
                        "walletAddress": "$request.body#/walletAddress",
                        "nonceId": "$response.body#/nonceId",
                    },
                }
            },
        ),
        **describe_refusals(
            *BY_ANY,
            "invalid_json",
            "missing_fields",
            "invalid_wallet_address",
            "invalid_nickname_length",
            "invalid_nickname_chars",
            "rate_limit_session",
        ),
    },
}

_CREATE_SUBMISSION = {
    "operationId": "createSubmission",
    "summary": "Submit a wallet",
    "description": "Finishes a submission, with the key that asked for the nonce. After the "
    "signature, the page's policy decides. A refusal leaves the nonce usable.",
    "parameters": [*ORIGIN_HEADERS, SESSION],
    "requestBody": describe_body("SubmissionRequest"),
    "responses": {
        "201": describe_success(
            "NewSubmission",
            "The submission.",
            links={
                "listOwn": {
                    "operationId": "listSessionSubmissions",
                    "description": "With the same session cookie.",
                    "parameters": {"trackingPageId": "$request.body#/trackingPageId"},
                }
            },
        ),
        **describe_refusals(
            *BY_ANY,
            "invalid_json",
            "missing_fields",
            "invalid_wallet_address",
            "invalid_nickname_length",
            "invalid_nickname_chars",
            "invalid_nonce",
            "nonce_binding_mismatch",
            "invalid_signature",
            "embed_disabled",
            "page_not_found",
            "duplicate",
            "ca_gate_failed",
            "balance_unavailable",
            "cooldown_active",
            "queue_full",
            "rate_limit_session",
        ),
    },
}

_LIST_OWN = {
    "operationId": "listSessionSubmissions",
    "summary": "List own submissions",
    "description": "Returns what the visitor of this session has submitted to this page; without "
    "a session cookie, an empty list. Ask every 5 to 10 seconds at most.",
    "parameters": [*ORIGIN_HEADERS, SESSION, PAGE_IN_QUERY],
    "responses": {
        "200": describe_success("OwnSubmissions", "The submissions."),
        **describe_refusals(*BY_ANY, "missing_tracking_page_id"),
    },
}

PATHS: dict[str, dict[str, Any]] = {
    "/tracking/{trackingPageId}": {
        "parameters": [PAGE_IN_PATH],
        "get": _READ,
        "options": describe_preflight(
            "preflightTrackingPage", "GET", "Authorization", "origin_not_allowed", "unavailable"
        ),
    },
    "/siws/nonce": {
        "post": _CREATE_NONCE,
        "options": describe_preflight("preflightNonce", "POST", "Authorization, Content-Type"),
    },
    "/submissions": {
        "post": _CREATE_SUBMISSION,
        "options": describe_preflight("preflightSubmission", "POST", "Authorization, Content-Type"),
    },
    "/session/submissions": {
        "get": _LIST_OWN,
        "options": describe_preflight("preflightSessionSubmissions", "GET", "Authorization"),
    },
}
