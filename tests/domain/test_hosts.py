"""Hosts of allowlist entries, compared with what Chromium makes of them (see tests/browser)."""

import json
from pathlib import Path

import pytest

from embed.domain.hosts import normalise_host
from embed.domain.origins import parse_allowlist_entry, parse_origin
from embed.errors import InvalidInput

TABLE = Path(__file__).parents[1] / "support/chromium_hosts.json"
ROWS = json.loads(TABLE.read_text(encoding="utf-8"))


def list_rows(refused: str | None) -> list[dict[str, str]]:
    rows = [row for row in ROWS if row.get("refused") == refused]
    assert len(rows) > 40, refused
    return rows


def test_entry_is_kept_as_chromium_sends_it_or_refused_as_it_does():
    kept = {row["raw"]: parse_allowlist_entry(row["raw"]) for row in list_rows(None)}

    assert kept == {row["raw"]: row["chromium"] for row in list_rows(None)}
    assert [row["raw"] for row in ROWS if not row["chromium"] and "refused" not in row] == []


def test_other_entries_are_refused():
    refused = [row for row in ROWS if "refused" in row]
    assert {row["refused"] for row in refused} == {"ipv4", "no_scheme", "not_an_origin"}
    for row in refused:
        with pytest.raises(InvalidInput):
            parse_allowlist_entry(row["raw"])


def test_for_unusual_forms_of_ipv4_the_advice_is_what_chromium_makes_of_them():
    for row in list_rows("ipv4"):
        with pytest.raises(InvalidInput) as refusal:
            parse_allowlist_entry(row["raw"])
        assert str(refusal.value).endswith(f"Use {row['chromium']}.")
        assert parse_origin(row["raw"]) is None


def test_character_that_python_does_not_know_is_refused():
    assert normalise_host("\u03b1.example") == "xn--mxa.example"
    with pytest.raises(ValueError, match="\U0002fa1f"):
        normalise_host("\U0002fa1f.example")


def test_length_is_checked_before_the_slow_steps(monkeypatch):
    monkeypatch.setattr("embed.domain.hosts._check_international_name", pytest.fail)

    assert normalise_host("\u00fc" * 1000) is None
    assert normalise_host("\u00fc" * 64) is None
