"""The embed API (docs/api.md): endpoints, authentication, CORS, preflights, OpenAPI document."""

from embed.web.api.cors import preflights
from embed.web.api.endpoints import openapi
from embed.web.api.operations import blueprint

__all__ = ["blueprint", "openapi", "preflights"]
