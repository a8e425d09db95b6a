"""What the widget says above the list of all wallets together."""

import html
import re

import pytest
from support.chain_history import record_history
from support.world import USDC, Visitor, World

from embed.db.models import Token

pytestmark = pytest.mark.databases("sqlite", "postgres")


@pytest.fixture
def chain_world(world_with) -> World:
    """A page of a service with an endpoint, of a token of which there are 1,000."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    return world


def open_widget(world, **query) -> str:
    path = f"/embed/tracking/{world.page_id}"
    answer = world.call("GET", path, query_string={"key": world.public_key} | query)
    assert answer.status_code == 200
    return answer.text


def read_summary(world, **query) -> str:
    text = open_widget(world, **query)
    (summary,) = re.findall(r'<div id="summary">.*?</div>', text, re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", summary)).split())


def hold(world, amount: str, **details) -> None:
    address = Visitor().address
    world.track(address, **details)
    record_history(USDC, address, world.clock(), amount, {})


def test_total_and_share_are_of_the_wallets_that_are_counted(chain_world):
    chain_world.add_tag("pool", is_counted=False)
    hold(chain_world, "25")
    hold(chain_world, "500", tag_names=["pool"])

    summary = read_summary(chain_world)

    assert "Wallets 2" in summary
    assert "Total 25 $USDC (1 of 2)" in summary
    assert "Of supply 2.50%" in summary
    assert f"Read on the chain {chain_world.clock():%Y-%m-%d %H:%M} UTC" in summary


def test_age_of_the_reading_makes_no_new_payload(chain_world):
    hold(chain_world, "25")
    tag = re.search('data-etag="(.*?)"', open_widget(chain_world))[1]

    chain_world.clock.forward(hours=3)

    path, key = f"/embed/tracking/{chain_world.page_id}", chain_world.public_key
    answer = chain_world.client.get(
        f"{path}?key={key}", headers={"If-None-Match": html.unescape(tag)}
    )
    assert answer.status_code == 304


@pytest.mark.parametrize(
    ("amount", "lang", "shown"),
    [
        ("0.004", "en", "<0.01"),
        ("250", "en", "250"),
        ("701349.205769", "en", "701,349.21"),
        ("701349.205769", "de", "701.349,21"),
        ("701349.205769", "ja", "701,349.21"),
        ("12345678.9", "en", "12.35M"),
        ("12345678.9", "de", "12,35\N{NO-BREAK SPACE}Mio."),
        ("12345678.9", "ja", "1234.57万"),
    ],
)
def test_total_has_two_decimals_at_most_in_every_language(chain_world, amount, lang, shown):
    hold(chain_world, amount)

    assert f" {' '.join(shown.split())} $USDC " in read_summary(chain_world, lang=lang)


def test_nothing_is_added_up_where_nothing_is_known(chain_world):
    chain_world.track(Visitor().address)

    summary = read_summary(chain_world)

    assert "Wallets 1" in summary
    assert "Total" not in summary
    assert "supply" not in summary


def test_without_an_endpoint_there_is_a_total_and_no_share(world):
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    world.track(Visitor().address, balance=25)

    summary = read_summary(world)

    assert "Total 25 $USDC" in summary
    assert "supply" not in summary
    assert "Read on the chain" not in summary


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("language", "share"),
    [("en", "2.51%"), ("de", "2,51\N{NO-BREAK SPACE}%"), ("tr", "%2,51"), ("zh", "2.51%")],
)
def test_share_is_written_as_the_language_does(chain_world, language, share):
    hold(chain_world, "25.1")

    assert f">{share}<" in open_widget(chain_world, lang=language)


@pytest.mark.databases("sqlite")
def test_share_that_would_be_rounded_to_nothing_is_not(chain_world):
    hold(chain_world, "0.0001")

    assert "Of supply <0.01%" in read_summary(chain_world)
