"""What a deny list's entries may say, and what they match."""

import pytest

from embed.domain.deny_list import MAX_LENGTH, list_networks, matches_any, parse_pattern
from embed.domain.nicknames import parse_nickname
from embed.errors import InvalidInput


def fits(raw_pattern: str, raw_nickname: str) -> bool:
    return matches_any([parse_pattern("name", raw_pattern)], parse_nickname(raw_nickname))


def refuse(kind: str, raw: str) -> str:
    with pytest.raises(InvalidInput) as refusal:
        parse_pattern(kind, raw)
    assert refusal.value.field == "pattern"
    return str(refusal.value)


# Names


@pytest.mark.parametrize(
    ("pattern", "nickname"),
    [
        ("ADMIN*", "admin 2"),
        ("*admin*", "The Admin"),
        ("adm?n", "admin"),
        ("**bot**", "bot"),
        ("Größe", "GRÖSSE"),
        # Names that look alike:
        ("admin*", "аdmin"),
        ("admin*", "ADM1N team"),
        ("admin", "a.d_m-i n"),
        ("admin*", "a\u0e48dmi\u05bfn"),
    ],
)
def test_pattern_fits_in_any_case_and_names_that_look_alike(pattern, nickname):
    assert fits(pattern, nickname)


@pytest.mark.parametrize(
    ("pattern", "nickname"),
    [
        ("admin", "admins"),
        ("adm?n", "admn"),
        ("*.eth", "Elizabeth"),  # a separator in the pattern is meant
        ("ʔa", "ba"),  # a letter that looks like a question mark stands for none
    ],
)
def test_pattern_fits_no_other_name(pattern, nickname):
    assert not fits(pattern, nickname)


@pytest.mark.parametrize("raw", ["*", "**?*", "-*", "_ .", "* *"])
def test_pattern_that_names_nobody_in_particular_is_refused(raw):
    assert "would block everyone" in refuse("name", raw)


@pytest.mark.parametrize("raw", ["a\0b", "a\udc00", "[a-z]*", "a\u202eb", "(a+)+$"])
def test_pattern_has_only_characters_of_names(raw):
    assert "Names can have only letters" in refuse("name", raw)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("wallet", "isn't a Solana address"),
        ("name", "longer than 64"),
        ("network", "isn't a network"),
    ],
)
def test_nothing_and_too_much_are_refused(kind, said):
    assert "Enter what to block" in refuse(kind, " \t ")
    assert said in refuse(kind, "x" * 10_000)


def test_pattern_may_be_as_long_as_its_column():
    assert parse_pattern("name", "x" * MAX_LENGTH) == "x" * MAX_LENGTH
    assert "longer than 64" in refuse("name", "x" * (MAX_LENGTH + 1))
    assert "longer than 64" in refuse("name", "\ufdfa" * MAX_LENGTH)  # 18 letters by NFKC


@pytest.mark.parametrize("pattern", ["a*" * 31 + "b", "*a?" * 21])
def test_no_pattern_takes_long(pattern):
    """Backtracking would need more than 2^30 steps for the first."""
    for nickname in ("a" * 32, "m" * 32, "a" * 31 + "b", "ﷺ"):
        matches_any([parse_pattern("name", pattern)], nickname)


# Wallets and networks


@pytest.mark.parametrize(
    ("raw", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::/32", "2001:db8::/32"),
        ("::ffff:192.0.2.7/120", "192.0.2.0/24"),
    ],
)
def test_network_is_written_as_clients_are_counted(raw, network):
    assert parse_pattern("network", raw) == network
    assert parse_pattern("network", network) == network


@pytest.mark.parametrize("raw", ["10.0.0.0/15", "2001:db8::/31", "::ffff:0:0/96"])
def test_network_that_holds_too_many_is_refused(raw):
    assert "This network is too large" in refuse("network", raw)


@pytest.mark.parametrize("raw", ["abc", "192.0.2.7/33", "192.0.2.7:80", "192.0.2.*", "\0"])
def test_what_is_no_network_is_refused(raw):
    assert "This isn't a network" in refuse("network", raw)


@pytest.mark.parametrize(
    ("client", "inside", "outside"),
    [
        ("192.0.2.7", ["192.0.2.7", "192.0.2.0/24", "192.0.0.0/16"], ["192.0.2.6", "192.0.3.0/24"]),
        ("2001:db8:0:1::", ["2001:db8:0:1::9", "2001:db8::/48", "2001:db8::/32"], ["2001:db8::1"]),
        ("::ffff:192.0.2.7", ["192.0.2.0/25"], ["192.0.2.128/25"]),
        ("[2001:db8::1]:4711", ["2001:db8::/64"], ["2001:db9::/64"]),
    ],
)
def test_client_is_in_the_networks_that_hold_it(client, inside, outside):
    networks = list_networks(client)

    assert all(parse_pattern("network", raw) in networks for raw in inside)
    assert not any(parse_pattern("network", raw) in networks for raw in outside)


@pytest.mark.parametrize("client", ["", "unix:"])
def test_client_without_an_address_is_in_none(client):
    assert list_networks(client) == []
