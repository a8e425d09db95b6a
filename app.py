"""The app that ``gunicorn app:app`` and ``flask`` load in this folder."""

from embed.wsgi import app

__all__ = ["app"]
