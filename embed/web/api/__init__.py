"""The embed API (spec 4): the endpoints, with their keys, CORS and bodies."""
