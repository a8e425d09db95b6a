"""How long owners stay signed in, and what ends it."""

import time

import pytest
from flask import Flask
from itsdangerous import TimestampSigner
from owner_browser import PASSWORD, find_token

from embed.people import accounts
from embed.web.dashboard import account, sessions

pytestmark = pytest.mark.slow

HOME = "/dashboard/"
DAY_S = 24 * 60 * 60


class Timer:
    """The time by which the session cookie is signed and read."""

    def __init__(self) -> None:
        self.now_s = int(time.time())

    def forward(self, days: float) -> None:
        self.now_s += int(days * DAY_S)


@pytest.fixture
def timer(monkeypatch) -> Timer:
    timer = Timer()
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: timer.now_s)
    return timer


@pytest.fixture
def link(world, owner) -> str:
    """A one-time link to another password."""
    signer = world.app.extensions["embed"].password_links
    return accounts.build_password_url(owner.owner, signer, "")


def test_owner_is_forgotten_14_days_after_the_last_visit(timer, owner):
    for _ in range(3):
        timer.forward(days=14)
        assert owner.get(HOME).status_code == 200

    timer.forward(days=14.001)
    assert owner.get(HOME).status_code == 302


@pytest.mark.parametrize("path", ["queue/news", "embed/contrast", "embed/preview"])
def test_what_scripts_ask_for_does_not_bring_back_a_session_that_has_ended(world, owner, path):
    answer = owner.get(f"/dashboard/pages/{world.page_id}/{path}")

    assert answer.status_code in (200, 302)
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("name", [sessions.NAME, sessions.LOCAL_NAME])
def test_owner_is_known_by_the_cookie_alone_for_as_long(world, timer, name):
    serializer = world.app.session_interface.get_signing_serializer(world.app)
    owners_session = serializer.dumps({"_user_id": "owner.fingerprint"})
    before_sign_in = serializer.dumps({"csrf_token": "token"})
    other = Flask("other", static_folder=None)
    other.secret_key = "another key"
    forged = world.app.session_interface.get_signing_serializer(other).dumps({"_user_id": "owner"})

    def is_known(cookies: str) -> bool:
        return sessions.is_signed_in(world.app, cookies)

    assert is_known(f"a=b; {name}={owners_session}; c=d")
    assert not is_known(f"a={owners_session}")
    for made_up in (before_sign_in, forged, owners_session[:-1], f"x{owners_session}", "", "\xff"):
        assert not is_known(f"{name}={made_up}"), made_up
    timer.forward(days=14)
    assert is_known(f"{name}={owners_session}")
    timer.forward(days=0.001)
    assert not is_known(f"{name}={owners_session}")


def test_password_does_not_run_out(timer, owner):
    timer.forward(days=3650)
    owner.world.clock.forward(days=3650)

    assert owner.sign_in_again().status_code == 303


def test_password_by_link_ends_the_sessions_of_the_old_one(world, owner, link):
    client = world.app.test_client()
    token = find_token(client.get(link).text)
    assert owner.get(HOME).status_code == 200

    new = {"password": "another long password", "again": "another long password"}
    client.post(link, data={"csrf_token": token} | new)

    assert client.get(HOME).status_code == 200
    assert owner.get(HOME).status_code == 302


def test_every_page_has_a_button_to_sign_out(world, owner):
    page = f"/dashboard/pages/{world.page_id}"
    for path in (HOME, "/dashboard/account", f"{page}/queue", f"{page}/keys", f"{page}/policy"):
        assert 'action="/dashboard/sign-out"' in owner.get(path).text, path


@pytest.mark.parametrize("password", ["", "owner@localhost", PASSWORD])
def test_installations_own_owner_cannot_sign_in_before_a_password_is_chosen(world, owner, password):
    owner.post("/dashboard/sign-out")
    assert accounts.get_person(accounts.INSTALLATION_OWNER).password_hash is None

    answer = owner.sign_in_again(email=accounts.INSTALLATION_OWNER, password=password)

    assert answer.status_code in (200, 422)
    assert owner.get(HOME).status_code == 302


def test_one_time_link_is_not_in_the_log_of_a_failure(world, link, monkeypatch, caplog):
    monkeypatch.setattr(account, "render", None)

    assert world.app.test_client().get(link).status_code == 500

    assert "Unexpected failure" in caplog.text
    assert link.rpartition("/")[2] not in caplog.text


def test_one_time_link_is_in_no_page_for_somebody_who_is_signed_in_either(owner, link):
    answer = owner.get(link)

    assert answer.status_code == 200
    assert link.rpartition("/")[2] not in answer.text


def test_owner_stays_signed_in_when_the_clock_went_back(timer, owner):
    timer.now_s -= 3600

    assert owner.get(HOME).status_code == 200
