"""The demo's tracking page: a made-up token with generated wallets."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import base58
from nacl.signing import SigningKey

from embed import owners, pages
from embed.db.connection import db
from embed.db.models import Owner, Page, Submission, Wallet
from embed.demo.history import create_balances, create_submissions, read_units
from embed.errors import NotFound
from embed.keys import management
from embed.notifications import receivers
from embed.settings import Settings
from embed.wallets import tags, tracking

OWNER = "demo@localhost"
MAIL_ADDRESS = "owner@demo.example"
TOKEN_NAME, TOKEN_SYMBOL = "Demo Dollar", "DEMO"
TITLE = "Demo: who holds Demo Dollars"
COMMENTS = "This token, its wallets and their names were made for the demo. They belong to nobody."
TAGS = (("team", "blue"), ("market maker", "green"), ("exchange", "orange"), ("watch", "red"))
WALLET_COUNT = 36
MIN_BALANCE = "100"


@dataclass(frozen=True, slots=True)
class DemoPage:
    id: str
    owner: Owner
    mint: str
    units: Mapping[str, int]  # what the wallets hold, by address
    public_key: str
    secret_key: str


def make_demo_page(origins: list[str], settings: Settings, now: datetime) -> DemoPage:
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
            create_balances(page.token_mint, _list_pending(page), now)
        _renew_channel(page, settings, now)
    units = read_units(page.token_mint)
    return DemoPage(page.id, page.owner, page.token_mint, units, public_key, secret_key)


def _find_page() -> Page | None:
    return next(
        (
            page
            for page in pages.list_pages()
            if (page.owner.email, page.token_symbol) == (OWNER, TOKEN_SYMBOL)
            and page.deleted_at is None
        ),
        None,
    )


def _make_page(now: datetime) -> Page:
    fields = {
        "token_name": TOKEN_NAME,
        "token_symbol": TOKEN_SYMBOL,
        "token_mint": _make_address(),
        "public_title": TITLE,
        "public_comments": COMMENTS,
        "min_balance": MIN_BALANCE,
        "holding_watch": "flag",
    }
    page = pages.create_page(_get_owner(now), fields, now)
    for number, (name, color) in enumerate(TAGS):
        tags.add_tag(page.id, name, color, now + timedelta(milliseconds=number))
    rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo
    for number in range(1, WALLET_COUNT + 1):
        tag_names = rng.sample([name for name, _ in TAGS], k=rng.choice((0, 1, 1, 2)))
        changes = tracking.WalletFields(
            alias=None if number % 6 == 0 else f"Demo wallet {number}", tag_names=tag_names
        )
        added_at = now + timedelta(milliseconds=number)  # lists are sorted by time
        tracking.add_wallet(page.id, _make_address(), changes, added_at, max_wallets=WALLET_COUNT)
    wallets = Wallet.select().where(Wallet.page == page).order_by(Wallet.created_at)
    create_balances(page.token_mint, [wallet.address for wallet in wallets], now)
    return page


def _renew_channel(page: Page, settings: Settings, now: datetime) -> None:
    """Replace the channel, since one that was told something a moment ago waits for a minute."""
    for channel in receivers.list_receivers(page.id, "channel"):
        receivers.remove_receiver(channel.id, "channel", now)
    receivers.add_channel(page.id, MAIL_ADDRESS, settings=settings, now=now)


def _list_pending(page: Page) -> list[str]:
    pending = Submission.select().where(Submission.page == page, Submission.status == "pending")
    return [submission.wallet_address for submission in pending]


def _make_address() -> str:
    return base58.b58encode(bytes(SigningKey.generate().verify_key)).decode()


def _get_owner(now: datetime) -> Owner:
    try:
        return owners.get_owner(OWNER)
    except NotFound:
        return owners.create_owner(OWNER, now)
