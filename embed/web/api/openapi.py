"""The OpenAPI document: docs/openapi.json as it is, for everyone."""

from flask import Blueprint, Response

from embed.settings import PROJECT_DIR
from embed.web.api.cors import share_answers

FILE = PROJECT_DIR / "docs" / "openapi.json"

# A blueprint of its own, since the document needs no key.
blueprint = Blueprint("openapi", __name__)
share_answers(blueprint)


@blueprint.get("/openapi.json")
def read_openapi_document() -> Response:
    return Response(FILE.read_bytes(), content_type="application/json")
