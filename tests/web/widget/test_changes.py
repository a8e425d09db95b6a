"""GET /embed/tracking/{id}/changes: what the list shows beside the balances."""

from datetime import timedelta
from decimal import Decimal

import pytest
from support.chain_history import record_history
from support.world import USDC, Visitor, read_exactly

from embed.db.models import Wallet

RPC = "https://rpc.example/?api-key=secret"
DAY = timedelta(days=1)


@pytest.fixture
def chain_world(world_with):
    """A page of a service with an endpoint."""
    return world_with(SOLANA_RPC_URL=RPC)


def ask(world, *wallets, page_id=None, **query):
    return world.client.get(
        f"/embed/tracking/{page_id or world.page_id}/changes",
        query_string={"key": world.public_key, "wallets": ",".join(wallets)} | query,
    )


def read(world, *wallets) -> dict:
    answer = ask(world, *wallets)
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    return read_exactly(answer)["wallets"]


def track(world, amount="5", earlier=None, **changes):
    """Track a wallet with a history; `earlier` has what it held by the days ago."""
    wallet = world.track(Visitor().address, **changes)
    ages = {days * DAY: held for days, held in (earlier or {1: "4", 7: "8"}).items()}
    record_history(USDC, wallet.address, world.clock(), amount, ages)
    return wallet


@pytest.mark.databases("sqlite", "postgres")
def test_changes_are_exact_numbers_and_the_line_is_a_path(chain_world):
    wallet = track(
        chain_world, "18446744073.709551615", {1: "0.000000001", 7: "99999999999999999999"}
    )

    assert read(chain_world, wallet.id) == {
        wallet.id: {
            "changeDay": Decimal("18446744073.709551614"),
            "changeWeek": Decimal("-99999999981553255925.290448385"),
            "changeLine": Decimal("-99999999981553255925.290448385"),
            "lineSeconds": 7 * 86_400,
            "linePath": "m108 5 27 38 4 0",
        }
    }


def test_what_is_not_known_is_null(chain_world):
    wallet = track(chain_world, "5", {3: "4"})

    change = read(chain_world, wallet.id)[wallet.id]

    assert (change["changeDay"], change["changeWeek"], change["changeLine"]) == (None, None, 1)


def test_nothing_is_shown_without_an_endpoint(world, count_statements):
    wallet = track(world)

    assert read(world, wallet.id) == {}
    assert "data-changes" not in world.open_widget(Visitor()).text


@pytest.mark.databases("sqlite", "postgres")
def test_widget_has_room_for_changes_once_there_are_any(chain_world):
    wallet = chain_world.track(Visitor().address)
    now = chain_world.clock()
    record_history(USDC, wallet.address, now, "5", {})
    assert " data-changes" not in chain_world.open_widget(Visitor()).text

    chain_world.track(other := Visitor().address)
    record_history(USDC, other, now, "5", {DAY: "4"})
    page = chain_world.open_widget(Visitor()).text

    assert " data-changes>" in page
    assert "secret" not in page


@pytest.mark.parametrize("hide", [{"is_hidden": True}, {"is_withheld": True}])
def test_hidden_wallets_are_left_out(chain_world, hide):
    shown, hidden = track(chain_world), track(chain_world)
    Wallet.update(**hide).where(Wallet.id == hidden.id).execute()

    assert read(chain_world, shown.id, hidden.id).keys() == {shown.id}


def test_wallets_of_another_page_are_left_out(chain_world):
    other = chain_world.make_page()
    wallet = track(chain_world, page_id=other)

    assert read(chain_world, wallet.id) == {}


@pytest.mark.databases("sqlite", "postgres")
def test_a_hundred_take_as_many_statements_as_one_and_no_more_are_answered(
    chain_world, count_statements
):
    ids = [track(chain_world).id for _ in range(101)]

    one = count_statements(lambda: ask(chain_world, ids[0]))
    assert count_statements(lambda: ask(chain_world, *ids)) == one
    assert read(chain_world, *ids).keys() == set(ids[:100])


# Refusals


def test_nobody_keeps_the_answer_and_other_sites_cannot_read_it(chain_world):
    answer = chain_world.call(
        "GET",
        f"/embed/tracking/{chain_world.page_id}/changes",
        query_string={"key": chain_world.public_key},
    )

    assert answer.headers["Cache-Control"] == "private, no-store"
    assert not any(name.startswith("Access-Control-") for name in answer.headers.keys())  # noqa: SIM118  # werkzeug's headers iterate over pairs
    assert "Set-Cookie" not in answer.headers
