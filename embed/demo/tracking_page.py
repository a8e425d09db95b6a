"""The demo's tracking page: a made-up token with wallets, and what happened in the last weeks."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import base58
from nacl.signing import SigningKey

from embed import pages
from embed.balances.mints import TOKEN_PROGRAM
from embed.balances.observations import ChainObservation, store_chain
from embed.balances.program_addresses import derive_token_account
from embed.db.connection import db
from embed.db.models import ApiKey, ChainBalance, Page, Person, Submission, Wallet
from embed.demo.market import UNITS
from embed.domain.identifiers import make_id
from embed.keys import management
from embed.notifications import receivers
from embed.people import accounts, invitations, members
from embed.settings import Settings
from embed.wallets import tags, tracking

OWNER, REVIEWER = "demo@localhost", "reviewer@localhost"
TAGS = {"team": "blue", "market maker": "green", "exchange": "orange", "watch": "red"}
WALLET_COUNT, PENDING_COUNT = 36, 6
MIN_BALANCE = "100"
FIELDS = {
    "token_name": "Demo Dollar",
    "token_symbol": "DEMO",
    "public_title": "Demo: who holds Demo Dollars",
    "public_comments": "This token, its wallets and their names were made for the demo.",
    "min_balance": MIN_BALANCE,
    "holding_watch": "flag",
}
DAYS = 30
_rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo


@dataclass(frozen=True, slots=True)
class DemoPage:
    id: str
    owner: Person
    reviewer: Person
    mint: str
    units: Mapping[str, int]  # what the wallets hold, by address
    public_key: str
    secret_key: str

    @property
    def widget_path(self) -> str:
        return f"/embed/tracking/{self.id}?key={self.public_key}"


def make_demo_page(site_url: str, hook_url: str, settings: Settings, now: datetime) -> DemoPage:
    """Create the page the first time, find it afterwards; create new keys each time.

    Keys cannot be shown again, so those of earlier runs are revoked. `hook_url` is told of new
    submissions.
    """
    with db.atomic():
        owner = _find_person(OWNER, now)
        found = (Page.owner == owner) & (Page.token_symbol == FIELDS["token_symbol"])
        existing = Page.get_or_none(found, Page.deleted_at.is_null())
        page = existing or _make_page(owner, now)
        reviewer = _find_person(REVIEWER, now, is_guest=True)
        if members.find_role(page, reviewer) is None:
            _, token = invitations.invite(page.id, REVIEWER, "reviewer", now, actor=OWNER)
            invitations.accept(token, reviewer, now)
        for key in management.list_keys(page.id):
            management.revoke_key(key.id, now)
        key, public_key = management.create_key(page.id, "public", raw_origins=[site_url], now=now)
        _, secret_key = management.create_key(page.id, "secret", now=now)
        if existing is None:
            _create_history(page, key, now)
        for webhook in receivers.list_receivers(page.id, "webhook"):
            receivers.remove_receiver(webhook.id, "webhook", now)
        events = ("submission.created",)
        receivers.add_webhook(page.id, hook_url, event_types=events, settings=settings, now=now)
    observed = ChainBalance.select().where(ChainBalance.mint == page.token_mint)
    units = {each.address: int(each.amount * UNITS) for each in observed}
    return DemoPage(page.id, owner, reviewer, page.token_mint, units, public_key, secret_key)


def _find_person(email: str, now: datetime, *, is_guest: bool = False) -> Person:
    found = Person.get_or_none(Person.email == email)
    return found or accounts.create_person(email, now, is_guest=is_guest)


def _make_page(owner: Person, now: datetime) -> Page:
    page = pages.create_page(owner, FIELDS | {"token_mint": _make_address()}, now)
    pages.change_look(page.id, {"order": "balance"}, now)
    for name, color in TAGS.items():
        # What is on an exchange belongs to its customers.
        tags.add_tag(page.id, name, color, now, is_counted=name != "exchange")
    for number in range(1, WALLET_COUNT + 1):
        alias = None if number % 6 == 0 else f"Demo wallet {number}"
        chosen = _rng.sample(list(TAGS), k=_rng.choice((0, 1, 1, 2)))
        details = tracking.WalletFields(alias=alias, tag_names=chosen)
        tracking.add_wallet(page.id, _make_address(), details, now, max_wallets=WALLET_COUNT)
    return page


def _make_address() -> str:
    return base58.b58encode(bytes(SigningKey.generate().verify_key)).decode()


def _create_history(page: Page, key: ApiKey, now: datetime) -> None:
    """Store pending submissions of today, and a balance of each wallet and day."""
    addresses = [one.address for one in Wallet.select().where(Wallet.page == page)]
    for number in range(1, PENDING_COUNT + 1):
        pending = Submission.create(
            page=page,
            api_key=key,
            wallet_address=_make_address(),
            nickname=f"Demo visitor {number}",
            status="pending",
            session_id=make_id(),
            created_at=now - timedelta(hours=number),
        )
        addresses.append(pending.wallet_address)
    # A few hold much, most hold little.
    amounts = {each: _rng.lognormvariate(9, 2.5) for each in addresses}
    for day in range(DAYS + 1):
        observations = [
            ChainObservation(
                address,
                derive_token_account(address, page.token_mint, TOKEN_PROGRAM),
                associated_amount=round(Decimal(amount), 2),
                slot=day,
                observed_at=now - timedelta(days=DAYS - day),
                other_amount=Decimal(0),
            )
            for address, amount in amounts.items()
        ]
        store_chain(page.token_mint, observations)
        amounts = {each: amount * _rng.uniform(0.9, 1.1) for each, amount in amounts.items()}
