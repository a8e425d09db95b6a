"""STUB of another branch."""

from embed.db.models import Page


def locate_logo(page: Page) -> str | None:
    return None
