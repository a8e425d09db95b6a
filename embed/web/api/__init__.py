"""The embed API (docs/api.md): endpoints, authentication, CORS, preflights, OpenAPI document."""

from embed.web.api import endpoints, openapi, preflights
from embed.web.api.operations import blueprint

__all__ = ["blueprint", "endpoints", "openapi", "preflights"]
