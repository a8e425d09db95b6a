"""The request class of the app."""

from typing import Any
from urllib.parse import quote_from_bytes

from flask import Request


class LenientRequest(Request):
    """Takes raw bytes in the query string as if they were percent-encoded.

    Browsers encode them. Werkzeug fails at those that are not UTF-8.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if not self.query_string.isascii():
            self.query_string = quote_from_bytes(self.query_string, _ASCII).encode("ascii")


_ASCII = bytes(range(128)).decode("ascii")
