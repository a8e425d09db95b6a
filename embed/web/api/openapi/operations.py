"""What several operations have in common."""

from typing import Any

from embed.web.api.openapi.parameters import ORIGIN
from embed.web.api.openapi.refusals import describe_refused_preflights
from embed.web.api.openapi.responses import describe_permission

# Any operation may answer these.
BY_ANY_PREFLIGHT = ("invalid_host", "internal_error")
BY_ANY = (
    *BY_ANY_PREFLIGHT,
    "missing_key",
    "invalid_key",
    "revoked_key",
    "missing_origin",
    "origin_not_allowed",
    "rate_limit_key",
    "rate_limit_ip",
    "unavailable",
)


def describe_preflight(
    operation_id: str, methods: str, headers: str, *more_refusals: str
) -> dict[str, Any]:
    """Describe a preflight; `more_refusals` are those that any preflight may not have."""
    return {
        "operationId": operation_id,
        "summary": "Answer a browser's preflight",
        "security": [],
        "parameters": [ORIGIN],
        "responses": {
            "204": describe_permission(methods, headers),
            **describe_refused_preflights(*BY_ANY_PREFLIGHT, *more_refusals),
        },
    }
