"""CORS of the API's answers: Flask-CORS lets every site read them, with credentials."""

from typing import Any

from flask import Blueprint, Response
from flask_cors import CORS, cross_origin

from embed.logs.context import REQUEST_ID_HEADER

# The key decides which sites may ask; what any site asks, it may read.
_OPTIONS: Any = {
    "origins": "*",
    "supports_credentials": True,
    "expose_headers": ["Retry-After", REQUEST_ID_HEADER],
    "vary_header": False,  # it leaves Vary out without an Origin header
}


def share_answers(blueprint: Blueprint) -> None:
    CORS(blueprint, **_OPTIONS)
    blueprint.after_request(_vary_by_origin)


@cross_origin(automatic_options=False, **_OPTIONS)
def share(response: Response) -> Response:
    """Let every site read an answer for a path or a method that no blueprint has."""
    return _vary_by_origin(response)


def _vary_by_origin(response: Response) -> Response:
    response.vary.add("Origin")
    return response
