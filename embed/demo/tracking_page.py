"""The demo's tracking page: a real token with generated wallets."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

import base58
from nacl.signing import SigningKey

from embed import owners, pages
from embed.db.connection import db
from embed.db.models import Owner, Page
from embed.demo.history import create_submissions
from embed.errors import NotFound
from embed.keys import management
from embed.wallets import tags, tracking

OWNER = "demo@localhost"
TOKEN = {
    "token_name": "USD Coin",
    "token_symbol": "USDC",
    "token_mint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
}
TITLE = "Demo: wallets of USD Coin"
COMMENTS = "These wallets, names and balances were made for the demo. They belong to nobody."
TAGS = (("team", "blue"), ("market maker", "green"), ("exchange", "orange"), ("watch", "red"))
WALLET_COUNT = 36


@dataclass(frozen=True, slots=True)
class DemoPage:
    id: str
    owner: Owner
    public_key: str
    secret_key: str


def make_demo_page(origins: list[str], now: datetime) -> DemoPage:
    """Create the page the first time, find it afterwards; create new keys each time.

    Keys cannot be shown again, so those of earlier runs are revoked.
    """
    with db.atomic():
        existing = _find_page()
        page = existing or _make_page(now)
        for key in management.list_keys(page.id):
            management.revoke_key(key.id, now)
        api_key, public_key = management.create_key(page.id, "public", raw_origins=origins, now=now)
        _, secret_key = management.create_key(page.id, "secret", now=now)
        if existing is None:
            create_submissions(page.id, api_key.id, now)
    return DemoPage(page.id, page.owner, public_key, secret_key)


def _find_page() -> Page | None:
    return next(
        (
            page
            for page in pages.list_pages()
            if page.owner.email == OWNER and page.deleted_at is None
        ),
        None,
    )


def _make_page(now: datetime) -> Page:
    fields = TOKEN | {"public_title": TITLE, "public_comments": COMMENTS}
    page = pages.create_page(_get_owner(now), fields, now)
    for number, (name, color) in enumerate(TAGS):
        tags.add_tag(page.id, name, color, now + timedelta(milliseconds=number))
    rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo
    for number in range(1, WALLET_COUNT + 1):
        tag_names = rng.sample([name for name, _ in TAGS], k=rng.choice((0, 1, 1, 2)))
        changes = tracking.WalletChanges(
            alias=None if number % 6 == 0 else f"Demo wallet {number}",
            tag_names=tag_names,
            balance=f"{rng.lognormvariate(9, 2.5):.2f}",
        )
        address = base58.b58encode(bytes(SigningKey.generate().verify_key)).decode()
        added_at = now + timedelta(milliseconds=number)  # lists are sorted by time
        tracking.add_wallet(page.id, address, changes, added_at, max_wallets=WALLET_COUNT)
    return page


def _get_owner(now: datetime) -> Owner:
    try:
        return owners.get_owner(OWNER)
    except NotFound:
        return owners.create_owner(OWNER, now)
