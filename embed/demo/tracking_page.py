"""The demo's tracking page: a made-up token with wallets, and a history of some weeks."""

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
from embed.db.connection import db
from embed.db.models import ApiKey, ChainBalance, Member, Page, Person, Submission
from embed.domain.addresses import derive_token_account
from embed.domain.folding import fold_wallet
from embed.domain.identifiers import make_id
from embed.events.editing import Change
from embed.keys import management
from embed.wallets import tags, tracking

OWNER, REVIEWER = "demo@localhost", "reviewer@localhost"
TAGS = {"team": "blue", "market maker": "green", "exchange": "orange", "watch": "red"}
# The largest first, with their tags.
WALLETS = """Cold Store/exchange, North Desk/market maker, Hot Wallet/exchange, Treasury/team
Deposit Desk/exchange, Quiet Otter/watch, Evening Desk/market maker, Blue Whale
Gray Wolf/watch, Build Fund/team, Bridge Vault/exchange, Paper Crane
South Desk/market maker, Copper Kettle, Grants/team, Salt Marsh, Red Kite/watch
Late Train, Community Fund/team, Blue Heron, Green Door, Old Mill, Small Change
Night Ferry, Lamp Black, Tall Grass, Cold Brew, Loose Thread"""
PENDING = ("Lighthouse", "North_Desk", "Harbour Pilot", "Old Salt", "Tin Whistle", "Sandpiper")
FIELDS = {
    "token_name": "Demo Dollar",
    "token_symbol": "DEMO",
    "public_title": "Who holds Demo Dollars",
    "public_comments": "This token, its wallets and their names were made for the demo.",
    "min_balance": "100",
}
DAYS = 30
_rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo


@dataclass(frozen=True, slots=True)
class DemoPage:
    id: str
    owner: Person
    reviewer: Person
    mint: str
    amounts: Mapping[str, Decimal]  # the wallets' balances, by address
    public_key: str
    secret_key: str


def make_demo_page(site_url: str, change: Change) -> DemoPage:
    """Create the page, or find it if it exists; create new keys each time.

    Keys can't be shown again, so those of earlier runs are revoked.
    """
    now = change.now
    with db.atomic():
        owner = _get_person(OWNER, now)
        found = (Page.owner == owner) & (Page.token_symbol == FIELDS["token_symbol"])
        existing = Page.get_or_none(found, Page.deleted_at.is_null())
        page = existing or _make_page(owner, change)
        reviewer = _get_person(REVIEWER, now, is_guest=True)
        membership = Member.insert(page=page, person=reviewer, role="reviewer", created_at=now)
        membership.on_conflict_ignore().execute()
        for key in management.list_keys(page.id):
            management.revoke_key(key.id, change)
        key, public_key = management.create_key(page.id, "public", change, raw_origins=[site_url])
        _, secret_key = management.create_key(page.id, "secret", change)
        if existing is None:
            _create_history(page, key, change)
    rows = ChainBalance.select().where(ChainBalance.mint == page.token_mint)
    amounts = {row.address: row.amount for row in rows}
    return DemoPage(page.id, owner, reviewer, page.token_mint, amounts, public_key, secret_key)


def _get_person(email: str, now: datetime, **fields: bool) -> Person:
    found = Person.get_or_none(Person.email == email)
    return found or Person.create(email=email, created_at=now, **fields)


def _make_page(owner: Person, change: Change) -> Page:
    page = pages.create_page(owner, FIELDS | {"token_mint": _make_address()}, change)
    pages.change_look(page.id, {"order": "balance"}, change)
    for name, color in TAGS.items():
        # An exchange's tokens belong to its customers.
        tags.add_tag(page.id, name, color, change, is_counted=name != "exchange")
    return page


def _make_address() -> str:
    return base58.b58encode(bytes(SigningKey.generate().verify_key)).decode()


def _create_history(page: Page, key: ApiKey, change: Change) -> None:
    """Store the wallets, pending submissions, and the balances of each day."""
    now = change.now
    amounts, wallets = {}, WALLETS.replace("\n", ", ").split(", ")
    for rank, wallet in enumerate(wallets, start=1):
        name, *tag_names = wallet.split("/")
        address, fields = _make_address(), tracking.WalletFields(alias=name, tag_names=tag_names)
        tracking.add_wallet(page.id, address, fields, change)
        amounts[address] = 595_040.08 / rank**1.2
    for hours, nickname in enumerate(PENDING, start=1):
        address = _make_address()
        Submission.create(
            page=page,
            api_key=key,
            wallet_address=address,
            nickname=nickname,
            folded=fold_wallet(nickname, address),
            status="pending",
            session_id=make_id(),
            created_at=now - timedelta(hours=hours),
        )
        amounts[address] = _rng.uniform(150, 90_000)  # some are among the largest
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
        amounts = {each: amount * _rng.uniform(0.96, 1.04) for each, amount in amounts.items()}
