"""The demo's tracking page: a made-up token with wallets, and a history of some weeks."""

import base64
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import urlsplit

import base58
from nacl.signing import SigningKey

from embed import pages
from embed.balances.mints import TOKEN_PROGRAM
from embed.balances.observations import ChainObservation, store_chain
from embed.balances.program_addresses import derive_token_account
from embed.db.connection import db
from embed.db.models import ApiKey, ChainBalance, Page, Person, Proof, Submission
from embed.demo.market import UNITS
from embed.domain.identifiers import make_id
from embed.domain.nonces import Nonce
from embed.domain.signing import Signer
from embed.domain.wallet_signatures import verify_signature
from embed.events.editing import Change
from embed.keys import management
from embed.notifications import receivers
from embed.people import accounts, invitations, members
from embed.settings import Settings
from embed.wallets import tags, tracking

OWNER, REVIEWER = "demo@localhost", "reviewer@localhost"
TAGS = {"team": "blue", "market maker": "green", "exchange": "orange", "watch": "red"}
# The largest first: name, tags, and whether the holder proved it.
WALLETS = """
Cold Store, exchange
North Desk, market maker, watch, proved
Hot Wallet 1, exchange
Treasury, team, proved
Hot Wallet 2, exchange
Deposit Desk, exchange
Quiet Otter, watch, proved
, exchange
Evening Desk, market maker
Blue Whale, proved
Payout Desk, exchange
Grey Wolf, watch, proved
Build Fund, team, watch, proved
Bridge Vault, exchange
Paper Crane, proved
South Desk, market maker
Copper Kettle, proved
, exchange
Grants, team
Salt Marsh
Red Kite, watch
Late Train
, watch
Community Fund, team
Blue Heron
Green Door
Old Mill
, team
Small Change
Night Ferry
Lamp Black
Tall Grass
, watch
Cold Brew
Second Breakfast
Loose Thread
""".strip().splitlines()
PENDING = ("Lighthouse", "North_Desk", "Harbour Pilot", "Old Salt", "Tin Whistle", "Sandpiper")
LARGEST = 595_040.08  # tokens; each next wallet holds this divided by its rank to the power of 1.2
MIN_BALANCE = "100"
FIELDS = {
    "token_name": "Demo Dollar",
    "token_symbol": "DEMO",
    "public_title": "Who holds Demo Dollars",
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
    units: Mapping[str, int]  # the wallets' balances, by address
    public_key: str
    secret_key: str

    @property
    def widget_path(self) -> str:
        return f"/embed/tracking/{self.id}?key={self.public_key}"


def make_demo_page(site_url: str, hook_url: str, change: Change) -> DemoPage:
    """Create the page, or find it if it exists; create new keys each time.

    Keys can't be shown again, so those of earlier runs are revoked. New submissions are sent to
    `hook_url`.
    """
    with db.atomic():
        owner = _find_person(OWNER, change.now)
        found = (Page.owner == owner) & (Page.token_symbol == FIELDS["token_symbol"])
        existing = Page.get_or_none(found, Page.deleted_at.is_null())
        page = existing or _make_page(owner, change)
        reviewer = _find_person(REVIEWER, change.now, is_guest=True)
        if members.find_role(page, reviewer) is None:
            by_owner = replace(change, actor=OWNER)
            _, token = invitations.invite(page.id, REVIEWER, "reviewer", by_owner)
            invitations.accept(token, reviewer, change)
        for key in management.list_keys(page.id):
            management.revoke_key(key.id, change)
        key, public_key = management.create_key(page.id, "public", change, raw_origins=[site_url])
        _, secret_key = management.create_key(page.id, "secret", change)
        if existing is None:
            _create_history(page, key, change)
        for webhook in receivers.list_receivers(page.id, "webhook"):
            receivers.remove_receiver(webhook.id, "webhook", change)
        events = ("submission.created",)
        receivers.add_webhook(page.id, hook_url, change, event_types=events)
    observed = ChainBalance.select().where(ChainBalance.mint == page.token_mint)
    units = {each.address: int(each.amount * UNITS) for each in observed}
    return DemoPage(page.id, owner, reviewer, page.token_mint, units, public_key, secret_key)


def _find_person(email: str, now: datetime, *, is_guest: bool = False) -> Person:
    found = Person.get_or_none(Person.email == email)
    return found or accounts.create_person(email, now, is_guest=is_guest)


def _make_page(owner: Person, change: Change) -> Page:
    page = pages.create_page(owner, FIELDS | {"token_mint": _make_address()}, change)
    pages.change_look(page.id, {"order": "balance"}, change)
    for number, (name, color) in enumerate(TAGS.items()):
        later = replace(change, now=change.now + timedelta(milliseconds=number))  # in this order
        # An exchange's tokens belong to its customers.
        tags.add_tag(page.id, name, color, later, is_counted=name != "exchange")
    return page


def _make_address() -> str:
    return _find_address(SigningKey.generate())


def _find_address(wallet: SigningKey) -> str:
    return base58.b58encode(bytes(wallet.verify_key)).decode()


def _create_history(page: Page, key: ApiKey, change: Change) -> None:
    """Store the wallets with their proofs, pending submissions, and daily balances."""
    settings, now = change.settings, change.now
    signer = Signer(settings.secret_keys, lambda: now - timedelta(days=DAYS))
    amounts = {}
    for rank, line in enumerate(WALLETS, start=1):
        name, *words = (word.strip() for word in line.split(","))
        wallet = SigningKey.generate()
        address = _find_address(wallet)
        details = tracking.WalletFields(
            alias=name or None, tag_names=[word for word in words if word in TAGS]
        )
        tracking.add_wallet(page.id, address, details, change)
        if "proved" in words:
            _prove(wallet, name, page, key, signer, settings)
        amounts[address] = LARGEST / rank**1.2
    for hours, nickname in enumerate(PENDING, start=1):
        pending = _submit(page, key, _make_address(), nickname, now - timedelta(hours=hours))
        amounts[pending.wallet_address] = _rng.uniform(150, 90_000)  # some are among the largest
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


def _prove(
    wallet: SigningKey, name: str, page: Page, key: ApiKey, signer: Signer, settings: Settings
) -> None:
    """Store an approved submission with the wallet's signature."""
    address, host = _find_address(wallet), urlsplit(settings.public_url or "").netloc
    _, nonce = Nonce.issue(
        signer,
        page_id=page.id,
        wallet_address=address,
        key_id=key.id,
        host=host,
        lifetime=settings.nonce_lifetime,
        detail=name,
    )
    message = nonce.build_message()
    signature = base64.b64encode(wallet.sign(message.encode()).signature).decode()
    signed = verify_signature(address, message, signature, host=host)
    submission = _submit(page, key, address, name, nonce.issued_at, nonce.token)
    Proof.create(submission=submission, **asdict(signed))


def _submit(
    page: Page,
    key: ApiKey,
    address: str,
    nickname: str,
    sent_at: datetime,
    nonce: str | None = None,
) -> Submission:
    """Store a submission: an approved one with its nonce, or a pending one."""
    submission: Submission = Submission.create(
        page=page,
        api_key=key,
        wallet_address=address,
        nickname=nickname,
        status="approved" if nonce else "pending",
        session_id=make_id(),
        nonce=nonce,
        created_at=sent_at,
        decided_at=sent_at if nonce else None,
    )
    return submission
