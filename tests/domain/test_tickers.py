import pytest

from embed.domain.texts import MAX_TICKER_LENGTH, drop_dollar_signs, parse_ticker
from embed.errors import InvalidInput


@pytest.mark.parametrize("raw", ["BONK", "A$AP", "BONK$", "ボンク", "x" * MAX_TICKER_LENGTH])
def test_ticker_without_a_dollar_sign_in_front_is_kept(raw):
    assert parse_ticker(raw) == raw


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("$BONK", id="one"),
        pytest.param("$$BONK", id="several"),
        pytest.param("  $ BONK ", id="spaces around it"),
        pytest.param("$ $\xa0BONK", id="spaces between several"),
        pytest.param("\N{FULLWIDTH DOLLAR SIGN}BONK", id="fullwidth"),
        pytest.param("\N{SMALL DOLLAR SIGN}BONK", id="small"),
        pytest.param("\N{HEAVY DOLLAR SIGN}\ufe0f BONK", id="emoji"),
    ],
)
def test_dollar_signs_in_front_are_dropped(raw):
    assert parse_ticker(raw) == "BONK"


def test_dollar_sign_does_not_count_for_the_length():
    assert parse_ticker("$" + "x" * MAX_TICKER_LENGTH) == "x" * MAX_TICKER_LENGTH


@pytest.mark.parametrize("raw", ["$", " $$ ", "\N{FULLWIDTH DOLLAR SIGN}", "\N{HEAVY DOLLAR SIGN}"])
def test_dollar_signs_alone_are_refused(raw):
    with pytest.raises(InvalidInput, match="needs more than the dollar sign") as refusal:
        parse_ticker(raw)

    assert refusal.value.field == "token_symbol"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("", "must not be empty"),
        ("  ", "must not be empty"),
        ("$" + "x" * (MAX_TICKER_LENGTH + 1), "longer than 20 characters"),
        ("$BO\0NK", "cannot be shown"),
    ],
)
def test_ticker_follows_the_rules_of_other_texts(raw, said):
    with pytest.raises(InvalidInput, match=said):
        parse_ticker(raw)


@pytest.mark.parametrize(("symbol", "shown"), [("$BONK", "BONK"), ("BONK", "BONK"), ("$$$", "")])
def test_kept_symbol_is_shown_without_dollar_signs(symbol, shown):
    assert drop_dollar_signs(symbol) == shown
