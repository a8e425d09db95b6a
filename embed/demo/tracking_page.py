"""The demo's tracking page: a made-up token with generated wallets."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from solders.pubkey import Pubkey

from embed import pages
from embed.balances.mints import TOKEN_PROGRAM
from embed.db.connection import db
from embed.db.models import ChainBalance, Page, Person
from embed.demo.history import create_history, make_address
from embed.demo.market import UNITS
from embed.keys import management
from embed.notifications import receivers
from embed.people import accounts, invitations, members
from embed.settings import Settings
from embed.wallets import tags, tracking

OWNER, REVIEWER = "demo@localhost", "reviewer@localhost"
MAIL_ADDRESS = "owner@demo.example"
TOKEN_NAME, TOKEN_SYMBOL = "Demo Dollar", "DEMO"
TITLE = "Demo: who holds Demo Dollars"
COMMENTS = "This token, its wallets and their names were made for the demo. They belong to nobody."
TAGS = {"team": "blue", "market maker": "green", "exchange": "orange", "watch": "red"}
WALLET_COUNT = 36
MIN_BALANCE = "100"
POOL_UNITS = 1_000_000 * UNITS


@dataclass(frozen=True, slots=True)
class DemoPage:
    id: str
    owner: Person
    reviewer: Person
    mint: str
    units: Mapping[str, int]  # what the wallets and a pool hold, by address
    public_key: str
    secret_key: str

    @property
    def widget_path(self) -> str:
        return f"/embed/tracking/{self.id}?key={self.public_key}"


def make_demo_page(origins: list[str], settings: Settings, now: datetime) -> DemoPage:
    """Create the page the first time, find it afterwards; create new keys each time.

    Keys cannot be shown again, so those of earlier runs are revoked.
    """
    with db.atomic():
        owner = Person.get_or_none(Person.email == OWNER) or accounts.create_person(OWNER, now)
        existing = Page.get_or_none(
            Page.owner == owner, Page.token_symbol == TOKEN_SYMBOL, Page.deleted_at.is_null()
        )
        page = existing or _make_page(owner, now)
        reviewer = _find_reviewer(page, now)
        for key in management.list_keys(page.id):
            management.revoke_key(key.id, now)
        api_key, public_key = management.create_key(page.id, "public", raw_origins=origins, now=now)
        _, secret_key = management.create_key(page.id, "secret", now=now)
        if existing is None:
            create_history(page, api_key.id, now)
        _renew_channel(page, settings, now)
    observed = ChainBalance.select().where(ChainBalance.mint == page.token_mint)
    units = {each.address: int(each.amount * UNITS) for each in observed}
    units[_derive_pool(page.token_mint)] = POOL_UNITS
    return DemoPage(page.id, owner, reviewer, page.token_mint, units, public_key, secret_key)


def _derive_pool(mint: str) -> str:
    """Return an address that no person has the key of, which holds tokens as a pool's does."""
    seeds = [b"pool", bytes(Pubkey.from_string(mint))]
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(TOKEN_PROGRAM))[0])


def _find_reviewer(page: Page, now: datetime) -> Person:
    """Return the second person of the demo, who decides on submissions."""
    reviewer = Person.get_or_none(Person.email == REVIEWER) or accounts.create_person(
        REVIEWER, now, is_guest=True
    )
    if members.find_role(page, reviewer) is None:
        _, token = invitations.invite(page.id, REVIEWER, "reviewer", now, actor=OWNER)
        invitations.accept(token, reviewer, now)
    return reviewer


def _make_page(owner: Person, now: datetime) -> Page:
    fields = {
        "token_name": TOKEN_NAME,
        "token_symbol": TOKEN_SYMBOL,
        "token_mint": make_address(),
        "public_title": TITLE,
        "public_comments": COMMENTS,
        "min_balance": MIN_BALANCE,
        "holding_watch": "flag",
    }
    page = pages.create_page(owner, fields, now)
    pages.change_look(page.id, {"order": "balance"}, now)
    for number, (name, color) in enumerate(TAGS.items()):
        # What is on an exchange belongs to its customers.
        is_counted = name != "exchange"
        added_at = now + timedelta(milliseconds=number)  # lists are sorted by time
        tags.add_tag(page.id, name, color, added_at, is_counted=is_counted)
    rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo
    for number in range(1, WALLET_COUNT + 1):
        changes = tracking.WalletFields(
            alias=None if number % 6 == 0 else f"Demo wallet {number}",
            tag_names=rng.sample(list(TAGS), k=rng.choice((0, 1, 1, 2))),
        )
        added_at = now + timedelta(milliseconds=number)
        tracking.add_wallet(page.id, make_address(), changes, added_at, max_wallets=WALLET_COUNT)
    return page


def _renew_channel(page: Page, settings: Settings, now: datetime) -> None:
    """Replace the channel, since one that was told something a moment ago waits for a minute."""
    for channel in receivers.list_receivers(page.id, "channel"):
        receivers.remove_receiver(channel.id, "channel", now)
    receivers.add_channel(page.id, MAIL_ADDRESS, may_decide=True, settings=settings, now=now)
