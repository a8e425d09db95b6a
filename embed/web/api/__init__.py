"""The embed API (docs/api.md): endpoints, authentication, CORS and the OpenAPI document."""
