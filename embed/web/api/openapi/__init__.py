"""The OpenAPI document of the API, and where it is served."""

from typing import Any

from flask import Blueprint, Response

from embed import __version__
from embed.serializers import write_json
from embed.web.api.openapi.paths import PATHS
from embed.web.api.openapi.record_paths import RECORD_PATHS
from embed.web.api.openapi.record_schemas import RECORD_SCHEMAS
from embed.web.api.openapi.refusals import RESPONSES
from embed.web.api.openapi.responses import HEADERS
from embed.web.api.openapi.schemas import SCHEMAS

DESCRIPTION = """\
Reads a tracking page, starts and finishes the submission of a wallet, and lists what a visitor \
has submitted. Whoever holds a wallet's key sees what the page keeps of it, and withdraws it.

Every request carries a bearer key that belongs to one tracking page. Public keys (`svc_pub_`) are \
for browsers and work for the origins on their list only. Secret keys (`svc_sec_`) are for servers.

Every refusal is JSON with an `error` code. An unknown path is answered with `404 not_found`, and \
another method with `405 method_not_allowed`. Answers may gain fields, so ignore those that you do \
not know."""


def build_document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tracking embed", "version": __version__, "description": DESCRIPTION},
        "servers": [
            {
                "url": "/api/embed",
                "description": "For servers. Browsers do not send the session cookie here.",
            },
            {
                "url": "/embed/api",
                "description": "The same for browsers, which send the session cookie here.",
            },
        ],
        "security": [{"bearerKey": []}],
        "paths": PATHS | RECORD_PATHS,
        "components": {
            "securitySchemes": {
                "bearerKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The key of a tracking page, public or secret. Preflights "
                    "need none.",
                }
            },
            "schemas": SCHEMAS | RECORD_SCHEMAS,
            "headers": HEADERS,
            "responses": RESPONSES,
        },
    }


# Its own blueprint: the document is public, so no key is asked for.
blueprint = Blueprint("openapi", __name__)
_DOCUMENT = write_json(build_document(), is_compact=True)


@blueprint.get("/openapi.json")
def read_openapi_document() -> Response:
    """Return the OpenAPI document, to anybody."""
    return Response(_DOCUMENT, content_type="application/json")
