import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.origins import (
    OriginDecision,
    decide_origin,
    find_twin,
    parse_allowlist_entry,
    parse_origin,
)
from embed.errors import InvalidInput


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param("https:\\\\example.com", id="backslashes for slashes"),
        pytest.param(" https://example.com", id="space in front"),
        pytest.param("https://" + "a" * 5000, id="5000 characters"),
    ],
)
def test_what_has_no_origin_has_none(raw):
    assert parse_origin(raw) is None


def test_longest_host_name_is_an_origin():
    name = "a." * 126 + "a"

    assert len(name) == 253
    assert parse_origin(f"https://{name}:65535") == f"https://{name}:65535"


ANY_TEXT = st.text(st.characters())
HOSTLIKE_TEXT = st.text(st.characters(categories=["L", "M", "N", "Pd"]) | st.sampled_from(".:[]@%"))


@given(st.tuples(st.sampled_from(["", "http://", "HTTPS://"]), ANY_TEXT | HOSTLIKE_TEXT))
def test_any_text_has_no_origin_or_one_in_its_final_form(parts):
    origin = parse_origin("".join(parts))

    if origin is not None:
        assert parse_origin(origin) == origin
        assert origin.isascii()
        assert origin == origin.lower()
        assert not set(origin) & set(" \\@%*?#")
        assert origin.count("/") == 2


OWN = "https://embed.example"
LISTED = "https://site.example"
ALLOWED = OriginDecision()


@pytest.mark.parametrize(
    ("headers", "decision"),
    [
        pytest.param({"raw_origin": LISTED}, ALLOWED, id="listed"),
        pytest.param({"raw_origin": OWN}, ALLOWED, id="the service's own"),
        pytest.param(
            {"raw_origin": "https://evil.example", "raw_referer": LISTED},
            OriginDecision("origin_not_allowed", "https://evil.example"),
            id="Referer does not help an Origin",
        ),
        pytest.param(
            {"raw_origin": "https://evil.example", "is_same_origin_fetch": True},
            OriginDecision("origin_not_allowed", "https://evil.example"),
            id="Sec-Fetch-Site does not help an Origin",
        ),
        pytest.param(
            {"raw_origin": "no origin"},
            OriginDecision("origin_not_allowed"),
            id="what cannot be parsed is not named",
        ),
        pytest.param({"raw_referer": f"{LISTED}/a?b"}, ALLOWED, id="Referer alone"),
        pytest.param({"raw_origin": "", "raw_referer": f"{LISTED}/"}, ALLOWED, id="empty Origin"),
        pytest.param(
            {"raw_referer": "https://evil.example/", "is_same_origin_fetch": True},
            OriginDecision("origin_not_allowed", "https://evil.example"),
            id="Sec-Fetch-Site does not help a Referer",
        ),
        pytest.param({"is_same_origin_fetch": True}, ALLOWED, id="own page without Referer"),
        pytest.param({}, OriginDecision("missing_origin"), id="nothing"),
        pytest.param(
            {"raw_origin": "null"}, OriginDecision("origin_not_allowed", "null"), id="null"
        ),
    ],
)
def test_origin_is_decided_by_the_first_header_that_names_one(headers, decision):
    given = {"raw_origin": None} | headers

    assert (
        decide_origin(**given, allowlist={LISTED}, allows_null=False, find_own_origin=lambda: OWN)
        == decision
    )


@pytest.mark.parametrize("raw_origin", ["null", None])
def test_null_origin_and_none_are_allowed_where_the_key_says_so(raw_origin):
    how = {"allowlist": (), "allows_null": True, "find_own_origin": lambda: OWN}

    assert decide_origin(raw_origin=raw_origin, **how) == ALLOWED


TABLE = Path(__file__).parents[1] / "support/origin_cases.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))
ADVICE = {
    "wildcard": "has a wildcard, which is not supported",
    "null": "Use the key's “Allow the null origin” switch",
    "no_scheme": "has no scheme",
    "no_site": "isn't a site's address. Enter scheme, host",
    "ipv4": "isn't how browsers write this IP address",
    "not_an_origin": "isn't a site's address. Enter scheme, host",
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
    has_no_advice = reason == "no_scheme" and "meant" not in row
    assert ADVICE["not_an_origin" if has_no_advice else reason] in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()
    assert row.get("meant", "") in sentence
    # An asterisk in a path is no part of the origin, and any scheme may be sent as one.
    if reason not in ("wildcard", "no_site"):
        assert parse_origin(raw) is None


@pytest.mark.parametrize(
    ("origin", "twin"),
    [
        ("https://example.com", "https://www.example.com"),
        ("https://www.example.com:8443", "https://example.com:8443"),
        ("http://localhost", None),
        ("http://127.0.0.1:8080", None),
    ],
)
def test_site_has_a_twin_with_or_without_www(origin, twin):
    assert find_twin(origin) == twin
