"""Signing in and out, and the session cookie."""

import re

import pytest
from guest import ACCOUNT, HOME, SIGN_IN, Guest
from support.owner_browser import PASSWORD, find_token

from embed.domain import passwords
from embed.domain.clients import Client
from embed.people import accounts, sessions
from embed.people.passwords import build_link, choose_password

pytestmark = pytest.mark.slow


@pytest.fixture
def guest(world, owner) -> Guest:
    return Guest(world)


@pytest.fixture
def hashes(monkeypatch) -> list[bytes]:
    """Every hash that a password was compared with; no password matches."""
    compared: list[bytes] = []

    def compare(password_hash, _):
        compared.append(password_hash)
        raise passwords.InvalidkeyError("no")

    monkeypatch.setattr(passwords.pwhash, "verify", compare)
    return compared


def test_owner_signs_in_and_out(guest):
    assert guest.get(HOME).location.startswith(SIGN_IN)

    assert guest.sign_in(" Owner@Example.com ").location == HOME
    assert guest.is_signed_in

    guest.post("/dashboard/sign-out")
    assert not guest.is_signed_in


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("owner@example.com", PASSWORD + " "),
        ("nobody@example.com", PASSWORD),
        (accounts.INSTALLATION_OWNER, PASSWORD),  # who has no password
        ("owner@example.com\0", "not the password"),
    ],
)
def test_wrong_password_and_unknown_email_get_the_same_answer(world, guest, email, password):
    answer = guest.sign_in(email, password)

    assert answer.status_code == 422
    assert "is wrong" in answer.text
    assert password not in answer.text + repr(world.dump())
    assert not guest.is_signed_in


@pytest.mark.parametrize("email", ["owner@example.com", "nobody@example.com", "new@example.com"])
def test_every_attempt_costs_one_comparison_of_the_same_kind(world, owner, guest, hashes, email):
    accounts.create_person("new@example.com", world.clock())  # has not chosen a password yet
    choose_password(owner.owner, PASSWORD, world.change(), host="")

    guest.sign_in(email, PASSWORD)

    (compared,) = hashes
    costs = [passwords.hash_password(PASSWORD).split("$")[:4], compared.decode().split("$")[:4]]
    assert costs[0] == costs[1]


# Limits


def attempt_from(world, address: str, email: str) -> int:
    """Try to sign in from an address; return the status."""
    answer = Guest(world, address=address).sign_in(email, "not the password")
    assert (answer.status_code == 429) == ("Too many attempts" in answer.text)
    return answer.status_code


def wait_of(world, address: str, email: str) -> int:
    return int(Guest(world, address=address).sign_in(email, "x").headers["Retry-After"])


def test_attempts_at_one_account_are_limited_from_one_network(world, owner, hashes):
    for number in range(10):
        assert attempt_from(world, f"192.0.2.{number}", "owner@example.com") == 422

    assert attempt_from(world, "192.0.2.99", "OWNER@example.com") == 429
    assert 0 < wait_of(world, "192.0.2.99", "OWNER@example.com") <= 601
    assert len(hashes) == 10
    assert attempt_from(world, "192.0.2.99", "another@example.com") == 422
    assert attempt_from(world, "192.0.3.1", "owner@example.com") == 422


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("email", "allowed"),
    [("owner@example.com", 19), ("nobody@example.com", 20)],  # the owner has signed in once
)
def test_attempts_from_new_networks_are_limited_together_and_not_known_ones(
    world, owner, email, allowed
):
    sessions.begin(owner.owner, world.change(client=Client(network="2001:db8:7::/48")))
    for number in range(allowed):
        assert attempt_from(world, f"192.0.{number // 10}.1", email) == 422

    assert attempt_from(world, "192.0.9.1", email) == 429
    assert 600 < wait_of(world, "192.0.9.1", email) <= 3601
    expected = 422 if email == owner.email else 429
    for known in ("127.0.0.99", "2001:db8:7:2::9"):
        assert attempt_from(world, known, email) == expected
    world.clock.forward(days=180)
    assert attempt_from(world, "127.0.0.1", email) == 429


@pytest.mark.parametrize(
    ("network", "limit", "other"),
    [
        ("192.0.2.1", 30, "192.0.2.2"),
        ("192.0.2.{}", 100, "192.0.3.1"),
        ("2001:db8:0:{:x}::1", 100, "2001:db8:1::1"),
    ],
)
def test_attempts_from_one_address_or_site_are_limited_at_whatever_account(
    world, owner, hashes, network, limit, other
):
    statuses = [
        attempt_from(world, network.format(number), f"{number}@example.com")
        for number in range(limit + 1)
    ]

    assert statuses == [422] * limit + [429]
    assert attempt_from(world, other, "new@example.com") == 422


def test_attempt_is_refused_while_two_passwords_are_hashed_for_others(guest):
    with passwords._hashing, passwords._hashing:
        answer = guest.sign_in()

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert PASSWORD not in answer.text
    assert not guest.is_signed_in
    assert guest.sign_in().status_code == 303


def test_sign_in_with_a_password_that_changes_meanwhile_is_refused(guest, monkeypatch):
    """See test_session_rows.py in tests/people for when none begins."""
    monkeypatch.setattr(sessions, "begin", lambda *_: None)

    answer = guest.sign_in()

    assert (answer.status_code, "is wrong" in answer.text) == (422, True)
    assert not guest.is_signed_in


# The cookie


def test_session_from_before_the_sign_in_is_worth_nothing_after_it(world, guest):
    guest.get(SIGN_IN)
    planted = guest.cookie
    guest.sign_in()
    assert guest.cookie != planted

    thief = Guest(world)
    thief.cookie = planted
    assert not thief.is_signed_in


@pytest.mark.parametrize(
    ("base_url", "name", "more"),
    [
        ("http://localhost.evil.example", "__Host-embed_dashboard", {"Path=/", "Secure"}),
        ("http://127.0.0.1:8000", "embed_dashboard", {"Path=/dashboard"}),
    ],
)
def test_cookie_is_one_that_no_other_host_can_set_but_on_localhost(world, base_url, name, more):
    answer = world.app.test_client().get(SIGN_IN, base_url=base_url)

    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name_and_value.startswith(f"{name}=")
    assert set(attributes) == {"HttpOnly", "SameSite=Lax"} | more


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("__Host-embed_dashboard", 200),
        ("embed_dashboard", 302),
        ("\u2000__Host-embed_dashboard", 302),
    ],
)
def test_session_is_read_only_from_the_name_that_browsers_protect(world, guest, name, status):
    guest.sign_in()
    cookie = f"{name}={guest.cookie}".encode().decode("latin-1")  # as WSGI hands it over

    client = world.app.test_client(use_cookies=False)
    answer = client.get(HOME, base_url="https://embed.example", headers={"Cookie": cookie})

    assert answer.status_code == status


# Where it leads


def test_owner_lands_where_they_were_going(world, owner, guest):
    wanted = f"/dashboard/pages/{world.page_id}/settings/keys"
    assert guest.sign_in(path=guest.get(wanted).location).location == wanted

    for send, way in ((owner.get, ""), (owner.post, "/passkey")):  # is signed in already
        assert send(f"{SIGN_IN}{way}?next={ACCOUNT}").location == ACCOUNT


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example/dashboard/",
        "/dashboard/\\evil.example",
        "javascript:alert(1)",
        "/dashboardx",
        "/dashboard/\r\nX: y",
    ],
)
def test_sign_in_leads_nowhere_else(owner, target):
    owner.post("/dashboard/sign-out")

    answer = owner.sign_in_again(target=target)

    assert (answer.status_code, answer.location) == (303, HOME)


# Forms


def test_form_without_the_token_of_its_session_is_refused(world, guest):
    others = find_token(Guest(world).get(SIGN_IN).text)
    guest.get(SIGN_IN)
    data = {"email": "owner@example.com", "password": PASSWORD}

    for token in ({}, {"csrf_token": ""}, {"csrf_token": "wrong"}, {"csrf_token": others}):
        answer = guest.client.post(SIGN_IN, data=data | token)
        assert answer.status_code == 400
        assert "has expired" in answer.text
    assert not guest.is_signed_in


def test_passwords_are_masked_and_known_to_password_managers(world, owner, guest):
    link = build_link(owner.owner, world.app.extensions["embed"].signer, "")
    for answer, purposes in (
        (guest.get(SIGN_IN), ["current"]),
        (guest.get(link), ["new"]),
        (owner.get(ACCOUNT), ["current", "new"]),
    ):
        masked = re.findall(r'<input[^>]* type="password"[^>]*>', answer.text)
        found = [re.search(r'autocomplete="(\w+)-password"', field)[1] for field in masked]
        assert found == purposes
