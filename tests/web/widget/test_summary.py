"""What the widget says above the list: the sentence, the bar of who holds it, and the line."""

import html
import re
from datetime import timedelta

import pytest
from support.chain_history import record_history
from support.world import USDC, Visitor, World

from embed.db.models import Token
from embed.web.security_headers import hash_source

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
    """Return the sentence and the line as they are read, without the bar."""
    sentence, line = re.findall(
        r'<h1 id="sentence".*?</h1>|<span class="told">.*?</p>',
        open_widget(world, **query),
        re.DOTALL,
    )
    text = re.sub(r"<button.*?</button>|<[^>]+>", "", f"{sentence} | {line}")
    return " ".join(html.unescape(text).split())


def list_segments(world, **query) -> list[str]:
    """Return what the parts of the bar say, and whether they are hatched."""
    found = re.findall(
        r'data-filter=.*?( data-uncounted|) title="(.*?)">', open_widget(world, **query), re.DOTALL
    )
    return [
        " ".join(html.unescape(title).split()) + ("/" if hatched else "")
        for hatched, title in found
    ]


def hold(world, amount: str, earlier: str = "", **details) -> None:
    address = Visitor().address
    world.track(address, **details)
    before = {timedelta(days=1, minutes=1): earlier} if earlier else {}
    record_history(USDC, address, world.clock(), amount, before)


def test_sentence_is_of_all_wallets_and_the_line_says_what_is_left_out(chain_world):
    chain_world.add_tag("pool", is_counted=False)
    chain_world.add_tag("team")
    hold(chain_world, "25", tag_names=["team"])
    hold(chain_world, "400", tag_names=["pool"])
    hold(chain_world, "100", tag_names=["team", "pool"])

    read = f"read {chain_world.clock():%Y-%m-%d %H:%M} UTC"
    assert read_summary(chain_world) == f"3 wallets hold 52.5% of $USDC | 25 without pool {read}"
    assert sorted(list_segments(chain_world)) == [  # tags of the same moment are in any order
        "pool 50.0%: 2 wallets, not counted/",
        "team 2.5%: 2 wallets, 1 under other tags",
    ]


def test_widths_of_the_bar_are_in_the_style_that_the_policy_allows(chain_world):
    chain_world.add_tag("team")
    hold(chain_world, "25", tag_names=["team"])
    hold(chain_world, "75")

    path, key = f"/embed/tracking/{chain_world.page_id}", chain_world.public_key
    answer = chain_world.client.get(path, query_string={"key": key, "accent": "ff6600"})
    (style,) = re.findall("<style>(.*?)</style>", answer.text)
    assert style.startswith(":root{--accent:")
    assert style.endswith(
        ".owned button:nth-child(1){flex-grow:250}.owned button:nth-child(2){flex-grow:750}"
    )
    assert hash_source(style) in answer.headers["Content-Security-Policy"]
    assert "style=" not in answer.text


def test_list_without_tags_shows_its_largest_wallets(chain_world):
    chain_world.add_tag("unused")
    for number in range(1, 8):
        hold(chain_world, str(number), alias=f"W{number}")

    assert list_segments(chain_world) == [
        *("W7 0.7%", "W6 0.6%", "W5 0.5%", "W4 0.4%", "W3 0.3%", "+2 0.3%")
    ]


def test_no_bar_where_it_would_have_one_part_or_none(chain_world):
    assert read_summary(chain_world).startswith("$USDC USD Coin |")
    hold(chain_world, "0", alias="Empty")
    assert read_summary(chain_world).startswith("1 wallet holds 0.0% of $USDC |")
    assert list_segments(chain_world) == []
    hold(chain_world, "10", alias="Only")
    assert list_segments(chain_world) == ["Only 1.0%", "+1 0.0%"]


def test_everything_may_be_left_out(chain_world):
    chain_world.add_tag("pool", is_counted=False)
    chain_world.add_tag("bridge", is_counted=False)
    hold(chain_world, "25", tag_names=["pool"])
    hold(chain_world, "25", tag_names=["bridge"])

    assert re.search("0 without (pool, bridge|bridge, pool) read", read_summary(chain_world))


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        ([("110", "100"), ("5", "")], " +10.0% today "),
        ([("95", "100")], " \N{MINUS SIGN}5.0% today "),
        ([("100.01", "100")], "$USDC | read"),
        ([("5", "")], "$USDC | read"),
    ],
)
def test_change_is_of_those_whose_earlier_balance_is_known(chain_world, amounts, shown):
    for amount, earlier in amounts:
        hold(chain_world, amount, earlier)

    assert shown in read_summary(chain_world)
    assert "today" not in read_summary(chain_world, hide="changes")


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
        ("0.004", "en", "0.004"),
        ("250", "en", "250"),
        ("701349.205769", "en", "701K"),
        ("701349.205769", "de", "701.000"),
        ("701349.205769", "ja", "70.1万"),
        ("12345678.9", "en", "12.3M"),
        ("12345678.9", "de", "12,3\N{NO-BREAK SPACE}Mio."),
        ("12345678.9", "ja", "1230万"),
    ],
)
def test_without_an_endpoint_amounts_have_three_digits(world, amount, lang, shown):
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    world.track(Visitor().address, balance=amount)

    summary = read_summary(world, lang=lang)

    assert " ".join(shown.split()) in summary
    assert "%" not in summary
    assert summary.endswith("|")


def test_nothing_is_added_up_where_nothing_is_known(world):
    world.add_tag("team")
    world.track(Visitor().address, tag_names=["team"])

    assert read_summary(world) == "1 wallet · $USDC | No balance is known."
    assert list_segments(world) == ["team: 1 wallet"]
    assert list_segments(world, hide="tools") == []


def test_unknown_balances_are_told(chain_world):
    hold(chain_world, "25")
    chain_world.track(Visitor().address)

    assert "2 wallets hold 2.5% of $USDC | 1 balance is unknown" in read_summary(chain_world)


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("language", "share"),
    [("en", "2.5%"), ("de", "2,5\N{NO-BREAK SPACE}%"), ("tr", "%2,5"), ("zh", "2.5%")],
)
def test_share_is_written_as_the_language_does(chain_world, language, share):
    hold(chain_world, "25.1")

    assert f">{share}<" in open_widget(chain_world, lang=language)


@pytest.mark.databases("sqlite")
def test_share_that_would_be_rounded_to_nothing_is_not(chain_world):
    hold(chain_world, "0.0001")

    assert "1 wallet holds <0.1% of $USDC" in read_summary(chain_world)
