"""Signing in and out, one-time links, and the session cookie."""

import re

import pytest
from support.owner_browser import PASSWORD, OwnerBrowser, find_token
from support.passkey_device import store_passkey
from werkzeug.test import create_environ, run_wsgi_app

from embed.db.models import Passkey, Person
from embed.domain import passwords
from embed.domain.clients import Client
from embed.people import accounts, sessions
from embed.people.passwords import build_link, choose_password

pytestmark = pytest.mark.slow

SIGN_IN = "/dashboard/sign-in"
HOME = "/dashboard/"


class Guest:
    """A browser that is not signed in."""

    def __init__(self, world, base_url="http://localhost") -> None:
        self.world, self.base_url = world, base_url
        self.client = world.app.test_client()

    def open(self, path: str):
        return self.client.get(path, base_url=self.base_url)

    def submit(self, path: str, **fields):
        token = find_token(self.open(path).text)
        return self.client.post(path, data={"csrf_token": token} | fields, base_url=self.base_url)

    def sign_in(self, email="owner@example.com", password=PASSWORD, path=SIGN_IN):
        return self.submit(path, email=email, password=password)

    @property
    def is_signed_in(self) -> bool:
        return self.open(HOME).status_code == 200

    @property
    def cookie(self) -> str:
        host = self.base_url.partition("://")[2]
        return self.client.get_cookie("embed_dashboard", domain=host, path="/dashboard").value

    def plant(self, value: str) -> None:
        self.client.set_cookie("embed_dashboard", value, path="/dashboard")


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
    assert guest.open(HOME).headers["Location"].startswith(SIGN_IN)

    assert guest.sign_in(" Owner@Example.com ").headers["Location"] == HOME
    assert guest.is_signed_in

    token = find_token(guest.open("/dashboard/account").text)
    guest.client.post("/dashboard/sign-out", data={"csrf_token": token})
    assert not guest.is_signed_in


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("owner@example.com", "not the password"),
        ("owner@example.com", PASSWORD + " "),
        ("nobody@example.com", PASSWORD),
        ("no address", PASSWORD),
        ("owner@example.com\0", "not the password"),
        ("%", PASSWORD),
    ],
)
def test_wrong_password_and_unknown_email_get_the_same_answer(guest, email, password):
    answer = guest.sign_in(email, password)

    assert answer.status_code == 422
    assert "is wrong" in answer.text
    assert password not in answer.text + repr(guest.world.dump())
    assert not guest.is_signed_in


@pytest.mark.parametrize("email", ["owner@example.com", "nobody@example.com", "new@example.com"])
def test_every_attempt_costs_one_comparison_of_the_same_kind(world, owner, guest, hashes, email):
    accounts.create_person("new@example.com", world.clock())  # has not chosen a password yet
    choose_password(owner.owner, PASSWORD, world.change(), host="")

    guest.sign_in(email, PASSWORD)

    (compared,) = hashes
    costs = [passwords.hash_password(PASSWORD).split("$")[:4], compared.decode().split("$")[:4]]
    assert costs[0] == costs[1]


def test_attempts_at_one_account_are_limited_from_one_network(guest, hashes):
    for number in range(10):
        assert attempt_from(guest, f"192.0.2.{number}", "owner@example.com").status_code == 422

    answer = attempt_from(guest, "192.0.2.99", "OWNER@example.com")

    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 601
    assert "Too many attempts" in answer.text
    assert len(hashes) == 10
    assert attempt_from(guest, "192.0.2.99", "another@example.com").status_code == 422
    assert attempt_from(guest, "192.0.3.1", "owner@example.com").status_code == 422


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("email", "allowed"),
    [("owner@example.com", 19), ("nobody@example.com", 20)],  # the owner has signed in once
)
def test_attempts_from_new_networks_are_limited_together_and_not_known_ones(
    world, owner, guest, email, allowed
):
    sessions.begin(owner.owner, world.change(client=Client(network="2001:db8:7::/48")))
    for number in range(allowed):
        assert attempt_from(guest, f"192.0.{number // 10}.1", email).status_code == 422

    answer = attempt_from(guest, "192.0.9.1", email)

    assert answer.status_code == 429
    assert 600 < int(answer.headers["Retry-After"]) <= 3601
    known = ("127.0.0.99", "2001:db8:7:2::9")
    expected = 422 if email == owner.email else 429
    assert [attempt_from(guest, one, email).status_code for one in known] == [expected] * 2
    world.clock.forward(days=180)
    assert attempt_from(guest, "127.0.0.1", email).status_code == 429


def test_attempts_from_one_address_are_limited_at_whatever_account(world, guest, hashes):
    for number in range(30):
        answer = attempt_from(guest, "192.0.2.1", f"{number}@example.com")
        assert answer.status_code == 422

    answer = attempt_from(guest, "192.0.2.1", "more@example.com")

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert attempt_from(guest, "192.0.2.2", "more@example.com").status_code == 422


@pytest.mark.parametrize("network", ["2001:db8:0:{:x}::1", "192.0.2.{}"])
def test_attempts_from_one_site_are_limited_however_many_networks_it_has(guest, hashes, network):
    statuses = [
        attempt_from(guest, network.format(number), f"{number}@example.com").status_code
        for number in range(101)
    ]

    assert statuses == [422] * 100 + [429]
    assert attempt_from(guest, "2001:db8:1::1", "new@example.com").status_code == 422


def test_attempt_is_refused_while_two_passwords_are_hashed_for_others(world, owner, guest):
    with passwords._hashing, passwords._hashing:
        answer = guest.sign_in()

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert PASSWORD not in answer.text
    assert not guest.is_signed_in
    assert guest.sign_in().status_code == 303


def test_password_that_nobody_can_judge_now_still_signs_in(owner, guest):
    with passwords._judging:
        assert guest.sign_in().status_code == 303
    assert guest.is_signed_in


def attempt_from(guest, address: str, email: str):
    token = find_token(guest.open(SIGN_IN).text)
    return guest.client.post(
        SIGN_IN,
        data={"csrf_token": token, "email": email, "password": "not the password"},
        environ_base={"REMOTE_ADDR": address},
    )


def test_session_from_before_the_sign_in_is_worth_nothing_after_it(world, guest):
    guest.open(SIGN_IN)
    planted = guest.cookie
    guest.sign_in()
    assert guest.cookie != planted

    thief = Guest(world)
    thief.plant(planted)
    assert not thief.is_signed_in


@pytest.mark.parametrize("value", ["", "nonsense", "eyJfdXNlcl9pZCI6IjEifQ.aX.x"])
def test_made_up_session_is_worth_nothing(world, guest, value):
    guest.plant(value)

    assert not guest.is_signed_in


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"current": "wrong password"}, "isn&#39;t your current password"),
        ({"password": "short"}, "10 to 200 characters"),
    ],
)
def test_bad_change_of_password_changes_nothing(owner, fields, said):
    new = "another long password"
    before = Person.get_by_id(owner.owner.id).password_hash

    answer = owner.post("/dashboard/account", **({"current": PASSWORD, "password": new} | fields))

    assert said in answer.text
    assert Person.get_by_id(owner.owner.id).password_hash == before


def make_link(world, owner: OwnerBrowser) -> str:
    return build_link(Person.get_by_id(owner.owner.id), world.app.extensions["embed"].signer, "")


@pytest.mark.databases("sqlite", "postgres")
def test_one_time_link_works_once_and_signs_in(world, owner, guest):
    link, new = make_link(world, owner), "another long password"

    assert guest.submit(link, password=new).status_code == 303
    assert guest.is_signed_in

    assert Guest(world).open(link).status_code == 410
    assert "works only once" in Guest(world).open(link).text


def test_one_time_link_works_for_a_day(world, owner, guest):
    link = make_link(world, owner)

    world.clock.forward(hours=23, minutes=59, seconds=59)
    assert guest.open(link).status_code == 200
    world.clock.forward(seconds=1)
    late = guest.open(link)
    assert (late.status_code, "This link has expired" in late.text) == (404, True)


def test_page_of_a_link_says_what_it_removes_before_it_does(world, owner, guest):
    nobody = accounts.create_person("new@example.com", world.clock())
    first = build_link(nobody, world.app.extensions["embed"].signer, "")
    assert "removed" not in guest.open(first).text
    link, new = make_link(world, owner), "another long password"
    store_passkey(owner.owner, world.clock())
    assert "removes your passkeys" in guest.open(link).text
    assert Passkey.select().exists()

    guest.submit(link, password=new)

    assert not Passkey.select().exists()
    assert "which removed passkeys: 1" in guest.open("/dashboard/account").text
    assert guest.open(link).headers["Location"] == "/dashboard/"


@pytest.mark.parametrize("end", ["altered", "x", "%00"])
def test_link_that_we_did_not_make_is_refused(world, owner, guest, end):
    altered = make_link(world, owner)[:-4] + "AAAA"
    link = altered if end == "altered" else f"/dashboard/password/{end}"

    assert guest.open(link).status_code == 404


@pytest.mark.parametrize(
    "base_url",
    ["http://embed.example", "https://embed.example", "http://localhost.evil.example"],
)
def test_cookie_is_one_that_no_other_host_can_set(world, owner, base_url):
    answer = world.app.test_client().get(SIGN_IN, base_url=base_url)

    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name_and_value.startswith("__Host-embed_dashboard=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/", "Secure"} == set(attributes)


@pytest.mark.parametrize("base_url", ["http://localhost", "http://127.0.0.1:8000"])
def test_cookie_works_without_https_on_localhost(world, owner, base_url):
    answer = world.app.test_client().get(SIGN_IN, base_url=base_url)

    name_and_value, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert name_and_value.startswith("embed_dashboard=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/dashboard"} == set(attributes)


@pytest.mark.parametrize(
    ("host", "expected"),
    [("xn--a", "200 OK"), ("a..b", "400 BAD REQUEST"), ("[::1", "400 BAD REQUEST")],
)
def test_malformed_host_is_no_failure(world, host, expected):
    environ = create_environ(SIGN_IN) | {"HTTP_HOST": host}

    _, status, _ = run_wsgi_app(world.app, environ)  # the test client can't send such hosts

    assert status == expected


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("__Host-embed_dashboard", True),
        ("embed_dashboard", False),
        ("__host-embed_dashboard", False),
        ("\u2000__Host-embed_dashboard", False),
    ],
)
def test_session_is_read_only_from_the_name_that_browsers_protect(world, guest, name, is_read):
    guest.sign_in()
    cookie = f"{name}={guest.cookie}".encode().decode("latin-1")  # as WSGI hands it over

    client = world.app.test_client(use_cookies=False)
    answer = client.get(HOME, base_url="https://embed.example", headers={"Cookie": cookie})

    assert answer.status_code == (200 if is_read else 302)


def test_owner_lands_where_they_were_going(world, guest):
    wanted = f"/dashboard/pages/{world.page_id}/settings/keys"
    location = guest.open(wanted).headers["Location"]

    assert guest.sign_in(path=location).headers["Location"] == wanted


@pytest.mark.parametrize("way", ["", "/passkey"])
def test_whoever_is_signed_in_already_lands_where_they_were_going(owner, way):
    send = owner.post if way == "/passkey" else owner.get

    answer = send(f"{SIGN_IN}{way}?next=/dashboard/account")

    assert answer.headers["Location"] == "/dashboard/account"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/dashboard/",
        "//evil.example/dashboard/",
        "/\\evil.example",
        "/dashboard/\\evil.example",
        "/dashboard/../\\evil.example",
        "javascript:alert(1)",
        "/embed.js",
        "/dashboardx",
        "http:///dashboard/",
        "//[",
        "http://[",
        "/dashboard/\r\nX: y",
    ],
)
def test_sign_in_leads_nowhere_else(guest, target):
    location = guest.open(SIGN_IN).request.path
    token = find_token(guest.open(location).text)
    answer = guest.client.post(
        SIGN_IN,
        query_string={"next": target},
        data={"csrf_token": token, "email": "owner@example.com", "password": PASSWORD},
    )

    assert answer.status_code == 303
    assert answer.headers["Location"] == HOME


def test_form_without_the_token_of_its_session_is_refused(world, guest):
    others = find_token(Guest(world).open(SIGN_IN).text)
    guest.open(SIGN_IN)
    data = {"email": "owner@example.com", "password": PASSWORD}

    for token in ({}, {"csrf_token": ""}, {"csrf_token": "wrong"}, {"csrf_token": others}):
        answer = guest.client.post(SIGN_IN, data=data | token)
        assert answer.status_code == 400
        assert "has expired" in answer.text
    assert not guest.is_signed_in


def test_present_password_cannot_be_guessed_without_limit(owner):
    new = "another long password"
    guess = {"current": "a wrong password", "password": new}
    answers = [owner.post("/dashboard/account", **guess) for _ in range(11)]

    assert {answer.status_code for answer in answers[:9]} == {422}
    assert answers[-1].status_code == 429
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 600


def find_question(world, owner) -> str:
    """Return the page that asks "Confirm it's you"."""
    world.clock.forward(minutes=31)
    page = owner.get("/dashboard/confirm").text
    assert f'autocomplete="username" value="{owner.email}"' in page
    return page


def test_passwords_are_masked_and_known_to_password_managers(world, owner, guest):
    purposes_by_page = {
        guest.open(SIGN_IN).text: ["current"],
        guest.open(make_link(world, owner)).text: ["new"],
        owner.get("/dashboard/account").text: ["current", "new"],
        find_question(world, owner): ["current"],
    }

    for page, purposes in purposes_by_page.items():
        masked = re.findall(r'<input[^>]* type="password"[^>]*>', page)
        found = [re.search(r'autocomplete="(\w+)-password"', field)[1] for field in masked]
        assert found == purposes
