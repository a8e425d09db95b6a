"""The embed API (spec 4): endpoints, authentication, CORS and request bodies."""
