"""Domain names: what is read with the balances, what is believed, shown, and dropped again."""

import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from chain.domains import (
    NAMES,
    NOBODY,
    OFFERS,
    Domains,
    find_domain,
    find_favourite,
    to_bytes,
)
from chain.ledger import SPL_TOKEN, find_associated
from support.fake_chain import SWEEP, FakeChain
from support.remote import at_once
from support.world import USDC, Visitor

from embed import pages
from embed.balances import stored_names
from embed.balances.domain_names import MOST_WALLETS
from embed.balances.observations import ChainObservation, store_chain
from embed.balances.stored_names import NameObservation
from embed.balances.token_accounts import MOST_ACCOUNTS
from embed.db.connection import db
from embed.db.models import DomainName, Wallet
from embed.maintenance.pruning import prune
from embed.maintenance.wallet_erasure import erase_wallet, find_kept
from embed.people import accounts
from embed.public_payload.payloads import PayloadKey, get_payload
from embed.runtime import EXTENSION
from embed.wallets.balance_refresh import refresh_balances
from embed.wallets.tracking import list_wallets

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

OTHER_MINT = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
HOUR = timedelta(hours=1)


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def domains(chain):
    return Domains(chain.ledger)


@pytest.fixture
def run(world):
    """Refresh what is due, or all of one page."""

    def act(page_id=None):
        runtime = world.app.extensions[EXTENSION]
        return refresh_balances(runtime, page_id=page_id, on_progress=lambda done, total: None)

    return act


@pytest.fixture
def page(world):
    """The world's page, which shows names beside addresses."""
    return pages.change_look(world.page_id, {"names": "beside"}, world.clock())


def track(world, count: int = 1, page_id=None) -> list[str]:
    addresses = [Visitor().address for _ in range(count)]
    for address in addresses:
        world.track(address, page_id=page_id)
    return addresses


def names_on(world) -> dict:
    """Return the names in the page's payload; a wallet without one is left out."""
    wallets = world.read().json["wallets"]
    return {one["address"]: one["domainName"] for one in wallets if "domainName" in one}


def later(world, chain, time=HOUR):
    """Let names become due, at a later slot."""
    chain.ledger.advance()
    world.clock.now += time


# What is read


def test_primary_domains_are_read_and_shown(world, chain, domains, page, run):
    plain, below, without = track(world, 3)
    domains.give(plain, "toly")
    domains.give(below, "dex", "toly-labs")
    version = page.version

    assert run().failure is None

    assert names_on(world) == {plain: "toly.sol", below: "dex.toly-labs.sol"}
    assert DomainName.get_by_id(without).name is None
    assert pages.get_page(page.id).version > version


def test_names_of_present_slots_end_in_sns(world, chain, domains, page, run):
    (address,) = track(world)
    domains.give(address, "toly")
    chain.ledger.advance(452_825_395)

    run()

    assert names_on(world) == {address: "toly.sns"}


def test_holder_of_the_token_of_a_tokenized_domain_has_its_name(world, chain, domains, page, run):
    holder, seller = track(world, 2)
    domain = domains.give(seller, "fav-tokenized")
    domains.choose(holder, domain)
    mint = domains.tokenize(domain, holder)
    domains.put_token(mint, seller, 0)

    run()

    assert names_on(world) == {holder: "fav-tokenized.sol"}


@pytest.mark.parametrize("is_first", [True, False])
def test_wallet_that_chooses_the_account_of_anothers_token_takes_no_name_away(
    world, chain, domains, page, run, is_first
):
    attacker, holder = track(world, 2) if is_first else reversed(track(world, 2))
    domain = domains.register(holder, "fav-tokenized")
    domains.choose(holder, domain)
    mint = domains.tokenize(domain, holder)
    domains.choose(attacker, find_associated(holder, mint, SPL_TOKEN))

    run()

    assert names_on(world) == {holder: "fav-tokenized.sol"}


def test_pages_that_show_no_names_cost_no_call_and_store_none(world, chain, domains, run):
    (address,) = track(world)
    domains.give(address, "toly")

    run()

    assert chain.calls[SWEEP] == 2  # the mint, and the wallet
    assert not any(find_favourite(address) in swept for swept in chain.swept)
    assert names_on(world) == {}
    assert not DomainName.select().exists()


def test_names_ride_in_the_calls_of_balances_and_take_few_more(world, chain, domains, page, run):
    addresses = track(world, MOST_ACCOUNTS)
    for number, address in enumerate(addresses[:MOST_WALLETS]):
        domains.give(address, f"name-{number}")

    run()

    # The mint; 99 wallets with two accounts each in place of one; 33 names.
    assert chain.calls[SWEEP] == 1 + 3 + 1
    assert len(names_on(world)) == MOST_WALLETS

    chain.calls.clear()
    later(world, chain, HOUR / 2)
    run()
    assert chain.calls[SWEEP] == 1  # balances alone


def test_subdomains_take_one_more_call(world, chain, domains, page, run):
    for number, address in enumerate(track(world, 2)):
        domains.give(address, f"name-{number}", "above")

    run()

    assert chain.calls[SWEEP] == 1 + 1 + 2
    assert sorted(names_on(world).values()) == ["name-0.above.sol", "name-1.above.sol"]


def test_wallet_on_pages_of_two_tokens_is_named_once(world, chain, domains, page, run):
    chain.ledger.create_mint(6, address=OTHER_MINT)
    other_id = world.make_page(token_mint=OTHER_MINT)
    pages.change_look(other_id, {"names": "instead"}, world.clock())
    (shared,) = track(world)
    world.track(shared, page_id=other_id)
    domains.give(shared, "toly")

    run()

    assert sum(find_favourite(shared) in swept for swept in chain.swept) == 1
    assert names_on(world) == {shared: "toly.sol"}
    (there,) = list_wallets(pages.get_page(other_id), [], uses_chain=True)
    assert there.domain_name == "toly.sol"


def test_all_names_of_a_page_are_read_on_request(world, chain, domains, page, run):
    (address,) = track(world)
    run()
    domains.give(address, "toly")
    chain.ledger.advance()

    run(page.id)

    assert names_on(world) == {address: "toly.sol"}


def test_names_are_read_although_complete_reading_is_refused(world, chain, domains, page, run):
    (address,) = track(world)
    domains.give(address, "toly")

    def refuse(method):
        chain.is_down = method != SWEEP

    chain.before_answer = refuse

    assert run().failure
    assert names_on(world) == {address: "toly.sol"}


# What is dropped


def _sell(domains, wallet, domain, buyer):
    domains.hand_on(domain, buyer)


def _close(domains, wallet, domain, buyer):
    domains.close(domain)


def _choose_nothing(domains, wallet, domain, buyer):
    domains.forget(wallet)


def _tokenize_and_sell(domains, wallet, domain, buyer):
    mint = domains.tokenize(domain, wallet)
    domains.put_token(mint, wallet, 0)
    domains.put_token(mint, buyer, 1)


def _choose_another(domains, wallet, domain, buyer):
    domains.choose(wallet, domains.register(buyer, "of-the-buyer"))


@pytest.mark.parametrize(
    "lose", [_sell, _close, _choose_nothing, _tokenize_and_sell, _choose_another]
)
def test_name_that_is_no_longer_the_wallets_drops_at_the_next_reading(
    world, chain, domains, page, run, lose
):
    wallet, buyer = track(world, 2)
    domain = domains.give(wallet, "toly")
    run()
    assert names_on(world) == {wallet: "toly.sol"}
    version = pages.get_page(page.id).version

    lose(domains, wallet, domain, buyer)
    later(world, chain)
    run()

    assert names_on(world) == {}
    assert pages.get_page(page.id).version > version


def test_handed_on_name_goes_to_the_buyer_who_chooses_it(world, chain, domains, page, run):
    wallet, buyer = track(world, 2)
    domain = domains.give(wallet, "toly")
    run()

    domains.hand_on(domain, buyer)
    domains.choose(buyer, domain)
    later(world, chain)
    run()

    assert names_on(world) == {buyer: "toly.sol"}


def test_failed_readings_keep_a_name_for_a_day(world, chain, domains, page, run):
    (address,) = track(world)
    domains.give(address, "toly")
    run()

    chain.is_down = True
    later(world, chain, timedelta(days=1))
    assert run().failure
    assert names_on(world) == {address: "toly.sol"}

    world.clock.forward(seconds=1)
    assert run().failure
    assert names_on(world) == {}
    assert not DomainName.select().exists()


def test_names_stay_as_long_as_balances_are_not_due(world_with, chain, domains, request):
    world = world_with(BALANCE_REFRESH="2 days")
    run = request.getfixturevalue("run")
    request.getfixturevalue("page")
    (address,) = track(world)
    domains.give(address, "toly")
    run()

    world.clock.forward(days=1, hours=23)
    run()

    assert names_on(world) == {address: "toly.sol"}


def test_older_answer_does_not_bring_a_name_back(world, chain, domains, page):
    (address,) = track(world)
    new, old = (
        NameObservation(address, name, slot, world.clock())
        for name, slot in (("new.sol", 20), ("old.sol", 10))
    )

    stored_names.store_names([new])
    version = pages.get_page(page.id).version
    stored_names.store_names([old])

    assert names_on(world) == {address: "new.sol"}
    assert pages.get_page(page.id).version == version


# Who gets one


def test_hiding_names_takes_them_off_at_once_and_they_are_forgotten(
    world, chain, domains, page, run
):
    (address,) = track(world)
    domains.give(address, "toly")
    run()

    pages.change_look(page.id, {"names": "hide"}, world.clock())
    assert names_on(world) == {}

    later(world, chain, timedelta(days=1, seconds=1))
    run()
    assert not DomainName.select().exists()


def test_names_that_no_endpoint_renews_are_pruned_with_the_history(
    world, chain, domains, page, run
):
    (address,) = track(world)
    domains.give(address, "toly")
    run()
    history = timedelta(days=30)

    kept, dropped = (
        prune(world.clock() + history + after, history)["domain names of wallets"]
        for after in (timedelta(0), timedelta(milliseconds=1))
    )

    assert (kept, dropped) == (0, 1)


def test_names_count_only_with_an_endpoint(world, chain, domains, page, run):
    (address,) = track(world)
    domains.give(address, "toly")
    run()

    shown = {uses: list_wallets(page, [], uses_chain=uses)[0].domain_name for uses in (True, False)}

    assert shown == {True: "toly.sol", False: None}


def test_removed_wallets_name_is_not_stored(world, page):
    (address,) = track(world)
    Wallet.delete().where(Wallet.address == address).execute()

    stored_names.store_names([NameObservation(address, "toly.sol", 5, world.clock())])

    assert not DomainName.select().exists()


def test_erased_wallet_leaves_no_name(world, chain, domains, page, run):
    (address,) = track(world)
    domains.give(address, "toly")
    run()
    assert "domain names" in {one.what for one in find_kept(address)}

    erase_wallet(address, world.clock(), timedelta(minutes=10))

    assert not DomainName.select().exists()


def test_names_balances_and_changes_at_once_lose_nothing_and_never_wait_in_a_circle(world, page):
    stranger = accounts.create_person("other@site.example", world.clock())
    page_ids = [page.id, world.make_page(owner=stranger)]
    pages.change_look(page_ids[1], {"names": "instead"}, world.clock())
    addresses = [Visitor().address for _ in range(20)]
    for page_id in page_ids:
        for address in addresses:
            world.track(address, page_id=page_id)
    now, old = world.clock(), world.clock() - timedelta(days=2)

    def repeat(act):
        try:
            for number in range(8):
                act(number)
        finally:
            db.close()

    def name(number):
        order = addresses if number % 2 else addresses[::-1]
        rows = [NameObservation(one, f"n{number}.sol", number, now) for one in order]
        stored_names.store_names(rows)

    def name_long_ago(number):
        rows = [NameObservation(one, None, 0, old) for one in addresses[::-1]]
        stored_names.store_names(rows)

    def drop(number):
        stored_names.drop_old_names(now - HOUR)

    def balance(number):
        rows = [ChainObservation(one, "x", Decimal(number), number, now) for one in addresses]
        store_chain(USDC, rows)

    def edit(number):
        world.track(Visitor().address, page_id=page_ids[number % 2])

    at_once([lambda act=act: repeat(act) for act in (name, name_long_ago, drop, balance, edit) * 2])
    name(9)

    assert names_on(world) == dict.fromkeys(addresses, "n9.sol")


def test_page_that_comes_to_a_wallet_while_its_name_is_stored_shows_it(world, page, monkeypatch):
    (address,) = track(world)
    stranger = accounts.create_person("other@site.example", world.clock())
    other_id = world.make_page(owner=stranger)
    bump = stored_names._bump_pages_with

    def show_names_meanwhile(addresses, *, excluding=()):
        bumped = bump(addresses, excluding=excluding)
        if not excluding:
            joining.start()
            joining.join(0.5)  # SQLite lets it in only after the transaction
        return bumped

    def join():
        try:
            world.track(address, page_id=other_id)
            pages.change_look(other_id, {"names": "beside"}, world.clock())
            get_payload(PayloadKey(other_id, pages.get_page(other_id).version, uses_chain=True))
        finally:
            db.close()

    joining = threading.Thread(target=join)
    monkeypatch.setattr(stored_names, "_bump_pages_with", show_names_meanwhile)
    stored_names.store_names([NameObservation(address, "toly.sol", 5, world.clock())])
    joining.join(20)

    payload = get_payload(PayloadKey(other_id, pages.get_page(other_id).version, uses_chain=True))
    assert payload.read_part(1)[0]["domainName"] == "toly.sol"


# What is not believed


def test_account_of_another_program_is_no_choice(world, chain, domains, page, run):
    (address,) = track(world)
    domain = domains.register(address, "toly")
    domains.choose(address, domain, program=NAMES)
    run()
    assert names_on(world) == {}


@pytest.mark.parametrize("data", [b"", b"\4", b"\4" + bytes(31), b"\0" + bytes(32), b"\xff" * 500])
def test_choice_of_other_bytes_is_none(world, chain, domains, page, run, data):
    address, other = track(world, 2)
    domains.give(other, "other")
    chain.ledger.set_account(find_favourite(address), data, OFFERS)

    assert run().failure is None

    assert names_on(world) == {other: "other.sol"}


def test_reverse_account_cannot_claim_another_name(world, chain, domains, page, run):
    liar, honest, sub_liar = track(world, 3)
    domains.write_reverse(domains.give(liar, "liar"), "toly")
    domains.give(honest, "toly")
    domain, parent = find_domain("sub", "liar")
    domains.give(sub_liar, "sub", "liar")
    domains.write_reverse(domain, "other", parent=parent)

    run()

    assert names_on(world) == {honest: "toly.sol"}


def test_name_outside_the_root_is_not_shown(world, chain, domains, page, run):
    """Anybody may make accounts of names with a parent of their own."""
    (address,) = track(world)
    own_root = Visitor().address
    domain = Visitor().address
    head = b"".join(map(to_bytes, (own_root, address, NOBODY)))
    chain.ledger.set_account(domain, head, NAMES)
    domains.write_reverse(domain, "toly", parent=own_root)
    domains.write_reverse(own_root, "sol")
    domains.choose(address, domain)

    run()

    assert names_on(world) == {}


def test_registry_of_another_program_or_too_short_gives_no_name(world, chain, domains, page, run):
    first, second = track(world, 2)
    whole = chain.ledger.find_account(domains.give(first, "first")).data
    chain.ledger.set_account(find_domain("first")[0], whole, NOBODY)
    domains.give(second, "second")
    chain.ledger.set_account(find_domain("second")[0], whole[:95], NAMES)

    assert run().failure is None

    assert names_on(world) == {}


def test_token_of_another_domain_or_of_none_gives_no_name(world, chain, domains, page, run):
    holder, poor = track(world, 2)
    domain = domains.register(poor, "toly")
    domains.choose(holder, domain)
    domains.choose(poor, domain)
    mint = domains.tokenize(domain, poor)
    domains.put_token(mint, poor, 0)
    domains.put_token(domains.tokenize(domains.register(holder, "mine"), holder), holder, 1)

    run()

    assert names_on(world) == {}


@pytest.mark.parametrize("label", ["tоly", "Toly", "toly\u202e", "t" * 33, "toly.sol", "\u200b"])
def test_deceiving_names_are_not_shown(world, chain, domains, page, run, label):
    address, other = track(world, 2)
    domains.give(address, label)
    domains.give(other, "sub", label)

    run()

    assert names_on(world) == {}


def test_name_that_becomes_unreadable_drops(world, chain, domains, page, run):
    (address,) = track(world)
    domain = domains.give(address, "toly")
    run()
    domains.write_reverse(domain, b"\xff\xfe", size=2**32 - 1)
    later(world, chain)

    assert run().failure is None

    assert names_on(world) == {}


def test_megabytes_behind_a_name_are_not_read(world, chain, domains, page, run):
    (address,) = track(world)
    domain = domains.give(address, "toly")
    whole = chain.ledger.find_account(domain).data
    chain.ledger.set_account(domain, whole + bytes(5 * 2**20), NAMES)

    assert run().failure is None

    assert names_on(world) == {address: "toly.sol"}
