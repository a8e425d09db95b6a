"""What the widget says of a list: the sentence, the bar of who holds it, and the sums below."""

import html
import re
from datetime import timedelta

import pytest
from frames import ask
from support.chain_history import record_history
from support.world import USDC, Visitor

from embed.db.models import Token

pytestmark = pytest.mark.databases("sqlite", "postgres")


def read_texts(pattern: str, text: str) -> list[str]:
    """Return what the pattern finds in a page, as it is read."""
    found = re.findall(pattern, text, re.DOTALL)
    return [" ".join(html.unescape(re.sub("<[^>]+>", "", one)).split()) for one in found]


def read_summary(world, **query) -> str:
    """Return the sentence above the list and the sums below it as they are read."""
    text = ask(world, **query).text
    return " | ".join(read_texts('<h1 id="sentence".*?</h1>|<p class="sums">.*?</p>', text))


def list_chips(world, **query) -> list[str]:
    """Return what the chips say, and whether their dots are hollow."""
    chips = re.findall(r'<a data-view="(?:(?!<a ).)*?</a>', ask(world, **query).text, re.DOTALL)
    return [
        html.unescape(re.search('aria-label="(.*?)"', chip)[1]).strip()
        + ("/" if "data-uncounted" in chip else "")
        for chip in chips
        if "aria-label=" in chip
    ]


def list_segments(world, **query) -> list[tuple[str, str, str]]:
    """Return where the parts of the bar start, how wide they are, and how they look."""
    return re.findall(
        r'<rect x="(.*?)" width="(.*?)" height="12" ?([^>]*?)/>', ask(world, **query).text
    )


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

    read = f"read {chain_world.clock():%b %-d, %Y, %-I:%M %p} UTC"
    assert read_summary(chain_world) == f"3 wallets hold 52.5% of $USDC | 25 without pool {read}"
    assert sorted(list_chips(chain_world)) == [  # tags of the same moment are in any order
        "pool 50.0%: 2 wallets, not counted/",
        "team 2.5%: 2 wallets, 1 under other tags",
    ]


def test_bar_has_true_widths_and_needs_no_style(chain_world):
    chain_world.add_tag("team", "blue")
    chain_world.clock.forward(seconds=1)
    chain_world.add_tag("pool", "red", is_counted=False)
    hold(chain_world, "25", tag_names=["team"])
    hold(chain_world, "50", tag_names=["pool"])
    hold(chain_world, "25")

    text = ask(chain_world).text

    assert list_segments(chain_world) == [
        ("0.00%", "25.00%", 'data-color="blue"'),
        ("25.00%", "50.00%", 'data-color="red" mask="url(#hatched)"'),
        ("75.00%", "25.00%", ""),
    ]
    assert not re.search("<style|style=", text)
    assert list_chips(chain_world)[-1] == "without a tag 2.5%: 1 wallet"


def test_parts_under_a_hundredth_are_grey_together_and_keep_their_chips(chain_world):
    for number, amount in enumerate(["98", "1", "0.5", "0.5", "0"]):
        chain_world.clock.forward(seconds=1)
        chain_world.add_tag(f"tag {number}", "violet")
        hold(chain_world, amount, tag_names=[f"tag {number}"])

    assert [(start, width) for start, width, _ in list_segments(chain_world)] == [
        ("0.00%", "98.00%"), ("98.00%", "1.00%"), ("99.00%", "1.00%"),
    ]  # fmt: skip
    assert list_segments(chain_world)[-1][2] == ""
    assert len(list_chips(chain_world)) == 5


def test_list_without_tags_shows_its_largest_wallets(chain_world):
    chain_world.add_tag("unused")
    for number in range(1, 8):
        hold(chain_world, str(number), alias=f"W{number}")

    assert list_chips(chain_world) == ["W7 0.7%", "W6 0.6%", "W5 0.5%", "W4 0.4%", "W3 0.3%"]
    looks = [look for *_, look in list_segments(chain_world)]
    assert looks == ['class="largest"'] * 5 + [""]


def test_no_bar_where_it_would_have_one_part_or_none(chain_world):
    assert read_summary(chain_world).startswith("$USDC USD Coin |")
    chain_world.track(Visitor().address, alias="Unknown")
    hold(chain_world, "0.0001", alias="Dust")
    summary = "2 wallets hold <0.1% of $USDC | 1 balance is unknown"
    assert read_summary(chain_world).startswith(summary)
    assert list_chips(chain_world) == ["Dust <0.1%"]
    assert [segment[:2] for segment in list_segments(chain_world)] == [("0.00%", "100.00%")]


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        ([("110", "100"), ("5", "")], " +10.0% today "),
        ([("95", "100")], " \N{MINUS SIGN}5.0% today "),
        ([("100.01", "100")], "$USDC | read"),
    ],
)
def test_change_is_of_those_whose_earlier_balance_is_known(chain_world, amounts, shown):
    for amount, earlier in amounts:
        hold(chain_world, amount, earlier)

    assert shown in read_summary(chain_world)
    assert "today" not in read_summary(chain_world, hide="changes")


@pytest.mark.parametrize(
    ("amount", "lang", "shown"),
    [
        ("0.004", "en", "0.004"),
        ("701349.205769", "de", "701.000"),
    ],
)
def test_without_an_endpoint_amounts_have_three_digits(world, amount, lang, shown):
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    world.track(Visitor().address, balance=amount)

    summary = read_summary(world, lang=lang)

    assert " ".join(shown.split()) in summary
    assert "%" not in summary
    assert summary.endswith(" | ")


def test_nothing_is_added_up_where_nothing_is_known(world):
    world.add_tag("team")
    world.track(Visitor().address, tag_names=["team"])

    assert read_summary(world) == "1 wallet · $USDC | No balance is known."
    assert list_chips(world) == ["team 1: 1 wallet"]
    assert list_chips(world, hide="tools") == list_segments(world) == []
