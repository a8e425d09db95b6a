import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain import nicknames
from embed.domain.nicknames import parse_nickname
from embed.errors import ApiError


@pytest.mark.parametrize("raw", ["\u0301\u0327" * 4000, "e" + "\u0301" * 8000, "\ufdfa" * 5000])
def test_text_that_is_much_too_long_is_refused_before_it_is_normalised(raw, monkeypatch):
    monkeypatch.setattr(nicknames, "unicodedata", None)

    with pytest.raises(ApiError, match=r"^invalid_nickname_length$"):
        parse_nickname(raw)


def test_letters_may_take_four_code_points_each():
    longest = unicodedata.normalize("NFD", "\u1f82")

    assert len(longest) == 4
    assert len(parse_nickname(longest * nicknames.MAX_LENGTH)) == nicknames.MAX_LENGTH


@given(st.text(st.characters()))
def test_any_text_gives_a_nickname_or_one_of_two_codes(raw):
    try:
        nickname = parse_nickname(raw)
    except ApiError as refusal:
        if refusal.code not in {"invalid_nickname_length", "invalid_nickname_chars"}:
            raise
        return
    assert 1 <= len(nickname) <= 32
    assert parse_nickname(nickname) == nickname == nickname.strip()
    for character in nickname:
        # "Cn": a letter that this Python's Unicode tables do not have yet.
        allowed = unicodedata.category(character)[0] in "LMN" or character in " ._-"
        assert allowed or unicodedata.category(character) == "Cn"
    nickname.encode()


TABLE = Path(__file__).parents[1] / "support/nickname_cases.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("raw", "nickname"),
    [
        pytest.param(row["raw"], row["nickname"], id=row["case"])
        for row in CASES
        if "nickname" in row
    ],
)
def test_nickname_is_kept_trimmed_and_normalised(raw, nickname):
    assert parse_nickname(raw) == nickname


@pytest.mark.parametrize(
    ("raw", "code"),
    [pytest.param(row["raw"], row["refused"], id=row["case"]) for row in CASES if "refused" in row],
)
def test_nickname_is_refused(raw, code):
    with pytest.raises(ApiError, match=f"^{code}$") as refusal:
        parse_nickname(raw)

    assert refusal.value.status == 400
