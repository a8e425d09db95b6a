"""The rules for origins, with the cases that the dashboard's script must pass too (tests/js)."""

import json
from pathlib import Path

import pytest

from embed.domain.origins import parse_allowlist_entry, parse_origin
from embed.errors import InvalidInput

TABLE = Path(__file__).parents[1] / "support/origin_cases.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))
ADVICE = {
    "wildcard": "has a wildcard, which is not supported",
    "null": "use the key's allow-null-origin switch",
    "no_scheme": "has no scheme",
    "no_site": "is not the address of a site",
    "ipv4": "is not how browsers write this IP address",
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
    "row", [pytest.param(row, id=row["case"]) for row in CASES if "refused" in row]
)
def test_owner_learns_what_to_write_instead(row):
    raw, reason = row["raw"], row["refused"]
    with pytest.raises(InvalidInput) as refusal:
        parse_allowlist_entry(raw)

    sentence = str(refusal.value)
    assert ADVICE[reason] in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()
    assert row.get("meant", "") in sentence
    # An asterisk in a path is no part of the origin, and any scheme may be sent as one.
    if reason not in ("wildcard", "no_site"):
        assert parse_origin(raw) is None


def test_table_has_each_answer():
    assert {row.get("refused") for row in CASES} == {None, *ADVICE}
