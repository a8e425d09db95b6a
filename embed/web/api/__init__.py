"""The embed API (docs/api.md): endpoints, authentication, CORS and the OpenAPI document."""

from embed.web.api import endpoints, openapi
from embed.web.api.operations import blueprint

__all__ = ["blueprint", "endpoints", "openapi"]
