"""The addresses of a page's pictures; none has a key, a balance or a wallet's address."""

from flask import url_for

from embed.db.models import Page
from embed.logos import find_digest
from embed.web.current import own_origin


def locate_logo(page: Page) -> str | None:
    """Return the address of a page's logo on this service; None if it has none."""
    digest = find_digest(page.id)
    if digest is None:
        return None
    return url_for("widget.show_logo", page_id=page.id, digest=digest)


def build_card_link(page_id: str, wallet_id: str) -> str:
    """Return the whole address of a holder's card, which opens only with a share link."""
    return own_origin() + url_for("widget.show_card", page_id=page_id, wallet_id=wallet_id)
