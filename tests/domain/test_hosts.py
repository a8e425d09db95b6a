"""Hosts of allowlist entries, compared with what Chromium makes of them (see tests/browser)."""

import ipaddress
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.hosts import expand_ipv4, normalise_host
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


@given(st.ip_addresses(v=4), st.integers(1, 4), st.data())
def test_every_form_of_an_ipv4_address_is_read(address, count, data):
    numbers = [*address.packed[: count - 1], int.from_bytes(address.packed[count - 1 :], "big")]
    forms = [data.draw(st.sampled_from(["{:d}", "0{:o}", "0x{:x}", "0X{:X}"])) for _ in numbers]
    written = ".".join(form.format(number) for form, number in zip(forms, numbers, strict=True))

    assert expand_ipv4(written) == str(address)
    if written != str(address):
        assert normalise_host(written) is None


@given(st.ip_addresses(v=4, network="0.0.0.0/0"))
def test_ipv4_within_ipv6_is_written_without_dots(address):
    mapped = normalise_host(f"[::ffff:{address}]")

    assert "." not in mapped
    assert ipaddress.IPv6Address(mapped[1:-1]).ipv4_mapped == address


def test_character_that_python_does_not_know_is_refused():
    assert normalise_host("\u03b1.example") == "xn--mxa.example"
    with pytest.raises(ValueError, match="\U0002fa1f"):
        normalise_host("\U0002fa1f.example")


def test_length_is_checked_before_the_slow_steps(monkeypatch):
    monkeypatch.setattr("embed.domain.hosts._check_international_name", pytest.fail)

    assert normalise_host("\u00fc" * 1000) is None
    assert normalise_host("\u00fc" * 64) is None
