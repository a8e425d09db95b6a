import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain import nicknames
from embed.domain.nicknames import parse_nickname
from embed.errors import ApiError


def test_nickname_of_5000_letters_is_too_long():
    with pytest.raises(ApiError, match=r"^invalid_nickname_length$"):
        parse_nickname("x" * 5000)


@pytest.mark.parametrize("raw", ["\u0301\u0327" * 4000, "e" + "\u0301" * 8000, "\ufdfa" * 5000])
def test_text_that_is_much_too_long_is_refused_before_it_is_normalised(raw, monkeypatch):
    monkeypatch.setattr(nicknames, "unicodedata", None)

    with pytest.raises(ApiError, match=r"^invalid_nickname_length$"):
        parse_nickname(raw)


def test_no_character_takes_more_code_points_than_the_bound_allows_for():
    allowed = nicknames.MAX_RAW_LENGTH // nicknames.MAX_LENGTH
    forms = {
        chr(point): unicodedata.normalize("NFD", chr(point)) for point in range(sys.maxunicode)
    }

    assert max(map(len, forms.values())) == allowed
    longest = next(form for form in forms.values() if len(form) == allowed)
    assert len(parse_nickname(f" {longest * nicknames.MAX_LENGTH} ")) == nicknames.MAX_LENGTH


def check_outcome(raw):
    try:
        nickname = parse_nickname(raw)
    except ApiError as refusal:
        if refusal.code not in {"invalid_nickname_length", "invalid_nickname_chars"}:
            raise
        return
    assert 1 <= len(nickname) <= 32
    assert parse_nickname(nickname) == nickname
    assert nickname == nickname.strip()
    for character in nickname:
        # "Cn": a letter that this Python's Unicode tables do not have yet.
        allowed = unicodedata.category(character)[0] in "LMN" or character in " ._-"
        assert allowed or unicodedata.category(character) == "Cn"
    nickname.encode()


@given(st.text(st.characters()))
def test_any_text_gives_a_nickname_or_one_of_two_codes(raw):
    check_outcome(raw)


NAMELIKE = st.characters(categories=["L", "M", "N", "Zs"]) | st.sampled_from(" ._-\xa8\ufdfa\u3164")


@given(st.text(NAMELIKE, max_size=12))
def test_any_text_like_a_name_gives_a_nickname_or_one_of_two_codes(raw):
    check_outcome(raw)


@given(st.text("abXY19 ._-\xe9\u0639\u0e01\u7530", min_size=1, max_size=32))
def test_letters_digits_and_the_allowed_punctuation_always_make_a_nickname(raw):
    if raw.strip():
        assert parse_nickname(f" {raw}\n") == raw.strip()
