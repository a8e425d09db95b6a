"""Pages that come to another token or owner while balances are entered."""

import itertools
import threading
from contextlib import suppress

import pytest
from support.remote import at_once
from support.world import USDC, Visitor, change_at

from embed import pages
from embed.db.connection import db
from embed.db.models import Wallet
from embed.errors import InvalidInput
from embed.events.editing import bump_version, lock_page
from embed.people import accounts
from embed.public_payload import get_payload
from embed.submissions import decisions
from embed.wallets import tracking
from embed.wallets.tracking import WalletFields

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

WSOL = "So11111111111111111111111111111111111111112"
ROUNDS = 12


def track(world, page_id: str, address: str) -> str:
    return world.track(address, page_id=page_id).id


def make_page_by_mint(world, address):
    page_id = world.make_page(token_mint=WSOL)
    track(world, page_id, address)
    return page_id, lambda: pages.update_page(page_id, {"token_mint": USDC}, world.change())


def make_page_by_owner(world, address):
    page_id = world.make_page(owner=accounts.create_person("other@site.example", world.clock()))
    track(world, page_id, address)
    heir = accounts.get_installation_owner(world.clock())
    return page_id, lambda: pages.update_page(page_id, {"owner": heir}, world.change())


def make_page_by_approval(world, address):
    """The page is there; the wallet comes to it as a submission's does that is approved."""
    page_id = world.make_page()

    def approve():
        with db.atomic():
            page, now = lock_page(page_id), world.clock()
            Wallet.create(page=page, address=address, created_at=now)
            bump_version(page_id)

    return page_id, approve


@pytest.mark.parametrize("prepare", [make_page_by_mint, make_page_by_owner, make_page_by_approval])
def test_page_that_joins_while_a_balance_is_entered_shows_it(world, prepare):
    address = Visitor().address
    world.track(address)
    page_id, join = prepare(world, address)

    def show() -> list:
        version = pages.get_page(page_id).version
        payload = get_payload(page_id, version, world.balances)
        wallets = payload.read_wallets(range(payload.wallet_count))
        return [wallet["tokenBalance"] for wallet in wallets]

    def join_and_show():
        try:
            join()
            show()  # so that this payload is remembered
        finally:
            db.close()

    other = threading.Thread(target=join_and_show)
    with db.atomic():
        world.observe(address, 5)
        other.start()
        other.join(0.5)  # time enough to overtake, if nothing keeps it
    other.join()

    assert show() == [5]


def test_changes_of_all_kinds_at_once_never_wait_for_each_other_in_a_circle(world_with):
    """Each takes the owner's lock before a page's."""
    world = world_with(LIMIT_IP_SUBMISSIONS="1000/hour")
    now, address = world.clock(), Visitor().address
    heirs = [accounts.get_installation_owner(now), accounts.create_person("b@site.example", now)]
    page_ids = [world.make_page(token_mint=mint) for mint in (USDC, WSOL) * 2]
    wallets = [track(world, page_id, address) for page_id in page_ids]
    ids = [world.submit(Visitor()).json["submissionId"] for _ in range(4)]
    decided = itertools.cycle([decisions.approve, decisions.undo])
    pick = itertools.count()

    def enter(number):
        changes = WalletFields(balance=number)
        tracking.update_wallet(wallets[number % len(wallets)], changes, change_at(now))

    def move(number):
        fields = {"token_mint": (USDC, WSOL)[number // 4 % 2], "owner": heirs[number // 4 % 2]}
        pages.update_page(page_ids[number % len(page_ids)], fields, change_at(now))

    def decide(_):
        next(decided)(world.page, ids, change_at(now, "owner"))

    def submit(_):
        assert world.submit(Visitor()).status_code == 201

    def repeat(act):
        try:
            for _ in range(ROUNDS):
                with suppress(InvalidInput):  # a page can be handed over at this very moment
                    act(next(pick))
        finally:
            db.close()

    at_once([lambda act=act: repeat(act) for act in (enter, move, decide, submit) * 2])
