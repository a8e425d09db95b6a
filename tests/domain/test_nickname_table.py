"""The rules for nicknames, with the cases that the widget's script must pass too (tests/js)."""

import json
from pathlib import Path

import pytest

from embed.domain.nicknames import parse_nickname
from embed.errors import ApiError

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


def test_table_has_each_answer():
    codes = {row.get("refused") for row in CASES}

    assert codes == {None, "invalid_nickname_length", "invalid_nickname_chars"}
