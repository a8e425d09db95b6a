"""Answers over HTTP with the interface of Flask's test client."""

from flask import Response

TIMEOUT_S = 60


class HttpAnswer(Response):
    @property
    def text(self) -> str:
        return self.get_data(as_text=True)
