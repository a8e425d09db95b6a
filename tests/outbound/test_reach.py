import pytest

from embed.outbound import Reach, is_allowed

PRIVATE = [
    "10.0.0.1",
    "169.254.169.254",  # where clouds answer with credentials
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 -- a target here
    "224.0.0.1",
    "::",
    "fc00::1",
    "fe80::1%lo",
    "ff0e::1",
    "2001:db8::1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "2002:a00:1::1",
    "2001:0:a00:1::1",
    "192.0.0.9",
    "192.88.99.1",
    "168.63.129.16",
    "2002:a83f:8110::1",  # 6to4 of the same
    "64:ff9b:1::8.8.8.8",
    "2001:20::1",
]
LOOPBACK = ["127.8.9.10", "::1", "::ffff:127.0.0.1"]
PUBLIC = [
    "8.8.8.8",
    "2606:4700:4700::1111",
    "64:ff9b::8.8.8.8",
    "168.63.129.17",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_addresses_inside_a_network_are_only_reached_where_any_is(host):
    assert not is_allowed(host, Reach.PUBLIC)
    assert not is_allowed(host, Reach.PUBLIC_OR_LOOPBACK)
    assert is_allowed(host, Reach.ANY)


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_is_reached_where_it_is_named(host):
    assert not is_allowed(host, Reach.PUBLIC)
    assert is_allowed(host, Reach.PUBLIC_OR_LOOPBACK)


@pytest.mark.parametrize("host", PUBLIC)
def test_public_addresses_are_always_reached(host):
    assert all(is_allowed(host, reach) for reach in Reach)


@pytest.mark.parametrize("host", ["localhost", "", "/run/docker.sock"])
def test_what_is_no_ip_address_is_not_reached(host):
    assert not is_allowed(host, Reach.PUBLIC_OR_LOOPBACK)
