import pytest

from embed.domain.texts import (
    MAX_TICKER_LENGTH,
    drop_dollar_signs,
    neutralise,
    parse_email,
    parse_optional_text,
    parse_text,
    parse_ticker,
)
from embed.errors import InvalidInput


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("x", id="one character"),
        pytest.param("<b>1 & 2</b> 'or' %s", id="markup is text"),
        pytest.param("\U0001f9d1\u200d\U0001f680", id="emoji joined by a zero-width joiner"),
        pytest.param("\u0645\u062d\u0645\u062f", id="Arabic"),
    ],
)
def test_owner_may_write_what_can_be_shown(raw):
    assert parse_text(raw, "title", field="title", max_length=40) == raw


@pytest.mark.parametrize("raw", ["\tWhale watch\r\n", "\xa0Whale watch\u3000"])
def test_white_space_around_a_text_is_dropped(raw):
    assert parse_text(raw, "title", field="title", max_length=11) == "Whale watch"


@pytest.mark.parametrize("raw", ["", "\r\n\t\u3000"])
def test_nothing_is_refused_where_a_text_is_needed_and_else_none(raw):
    with pytest.raises(InvalidInput, match=r"^The title must not be empty\.$"):
        parse_text(raw, "title", field="title", max_length=40)
    assert parse_optional_text(raw, "title", field="title", max_length=40) is None


def test_length_is_counted_in_code_points():
    assert parse_text("\U0001f48e" * 40, "title", field="title", max_length=40)
    with pytest.raises(InvalidInput, match=r"^The title is longer than 40 characters\.$"):
        parse_text("\U0001f48e" * 41, "title", field="title", max_length=40)


@pytest.mark.parametrize(
    "character",
    [
        pytest.param("\0", id="NUL"),
        pytest.param("\n", id="newline"),
        pytest.param("\ud800", id="high surrogate"),
        pytest.param("\u202e", id="right-to-left override"),
    ],
)
def test_character_that_cannot_be_shown_is_refused(character):
    with pytest.raises(
        InvalidInput, match=r"^The title contains a character that can't be shown\.$"
    ):
        parse_text(f"a{character}b", "title", field="title", max_length=40)


def test_comment_may_have_lines_as_forms_send_them():
    how = {"field": "comment", "max_length": 8, "may_have_lines": True}

    assert parse_optional_text("one\r\n\r\ntwo", "comment", **how) == "one\n\ntwo"
    for raw in ("one\rtwo", "one\ttwo", "one\n\0"):
        with pytest.raises(InvalidInput, match="comment contains a character"):
            parse_optional_text(raw, "comment", **how)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("日本語 ملك", "日本語 ملك"),
        ("@everyone", "\uff20everyone"),
        ("<!here>", "\u2039!here\u203a"),
        ("[x](https://e.example)", "(x)(https:\u2060//e.\u2060example)"),
        ("हिन्दी.example", "हिन्दी.\u2060example"),  # before the point is a mark, no letter
        ("v. 2 and J. R.", "v. 2 and J. R."),
        (
            "**bold** `code` ~x~ |y|",
            "\u2217\u2217bold\u2217\u2217 'code' \u223cx\u223c \u00a6y\u00a6",
        ),
        ("_x_ __y a_b_c_", "\uff3fx\uff3f \uff3f\uff3fy a_b_c\uff3f"),
        ("a\r\nb\tc\x00d\u202ee\u200bf", "a b cdef"),
        ("x" * 41, "x" * 39 + "…"),
    ],
)
def test_texts_of_others_act_nowhere(text, shown):
    assert neutralise(text, max_length=40) == shown


@pytest.mark.parametrize("sign", ["\uff20", "\u200b", "\u3164", "@"], ids=ascii)
def test_email_address_has_no_other_at_sign_and_nothing_that_cannot_be_seen(sign):
    assert parse_email(" Ann@Example.com ") == "ann@example.com"
    for raw in (f"ann{sign}x@example.com", f"ann@exa{sign}mple.com"):
        with pytest.raises(InvalidInput, match="isn't an email address"):
            parse_email(raw)


@pytest.mark.parametrize(
    ("raw", "ticker"),
    [
        ("A$AP", "A$AP"),
        ("BONK$", "BONK$"),
        ("x" * MAX_TICKER_LENGTH, "x" * MAX_TICKER_LENGTH),
        ("  $$ BONK ", "BONK"),
        ("\N{FULLWIDTH DOLLAR SIGN}BONK", "BONK"),
        ("\N{HEAVY DOLLAR SIGN}\ufe0f BONK", "BONK"),
    ],
)
def test_ticker_is_kept_without_the_dollar_signs_in_front(raw, ticker):
    assert parse_ticker(raw) == ticker


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (" $$ ", "needs more than a dollar sign"),
        ("", "must not be empty"),
        ("$" + "x" * (MAX_TICKER_LENGTH + 1), "longer than 20 characters"),
        ("$BO\0NK", "can't be shown"),
    ],
)
def test_other_ticker_is_refused_beside_its_field(raw, said):
    with pytest.raises(InvalidInput, match=said) as refusal:
        parse_ticker(raw)

    assert refusal.value.field == "token_symbol"


@pytest.mark.parametrize(("symbol", "shown"), [("$BONK", "BONK"), ("BONK", "BONK"), ("$$$", "")])
def test_kept_symbol_is_shown_without_dollar_signs(symbol, shown):
    assert drop_dollar_signs(symbol) == shown
