"""The rules for origins, with the cases that the dashboard's script must pass too (tests/js)."""

import json
from pathlib import Path

import pytest

from embed.domain.origins import parse_allowlist_entry, parse_origin
from embed.errors import InvalidInput

TABLE = Path(__file__).parent.parent / "origin_cases.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))
ADVICE = {
    "wildcard": "has a wildcard, which is not supported",
    "null": "use the key's allow-null-origin switch",
    "no_scheme": "has no scheme",
    "not_an_origin": "is not an origin",
}


@pytest.mark.parametrize(
    ("raw", "origin"),
    [pytest.param(row["raw"], row["origin"], id=row["case"]) for row in CASES if "origin" in row],
)
def test_entry_is_kept_in_its_one_written_form(raw, origin):
    assert parse_allowlist_entry(raw) == origin
    assert parse_origin(raw.strip()) == origin


@pytest.mark.parametrize(
    ("raw", "reason"),
    [pytest.param(row["raw"], row["refused"], id=row["case"]) for row in CASES if "refused" in row],
)
def test_owner_learns_what_to_write_instead(raw, reason):
    with pytest.raises(InvalidInput) as refusal:
        parse_allowlist_entry(raw)

    sentence = str(refusal.value)
    assert ADVICE[reason] in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()
    if reason != "wildcard":  # an asterisk in a path is no part of the origin
        assert parse_origin(raw) is None


def test_table_has_each_answer():
    assert {row.get("refused") for row in CASES} == {None, *ADVICE}
