"""One-time links to choose a password."""

import pytest
from guest import Guest
from support.passkey_device import store_passkey

from embed.db.models import Passkey
from embed.people import accounts
from embed.people.passwords import build_link
from embed.web.dashboard import sign_in

pytestmark = pytest.mark.slow

NEW = {"password": "another long password"}


@pytest.fixture
def link(world, owner) -> str:
    return build_link(owner.owner, world.app.extensions["embed"].signer, "")


@pytest.mark.databases("sqlite", "postgres")
def test_link_works_once_and_says_what_it_removes_before_it_does(world, owner, link):
    guest = Guest(world)
    store_passkey(owner.owner, world.clock())
    assert "removes your passkeys" in guest.get(link).text
    assert Passkey.select().exists()

    assert guest.submit(link, **NEW).status_code == 303

    assert guest.is_signed_in
    assert not Passkey.select().exists()
    assert "which removed passkeys: 1" in guest.get("/dashboard/account").text
    assert guest.get(link).location == "/dashboard/"
    again = Guest(world).get(link)
    assert (again.status_code, "works only once" in again.text) == (410, True)


def test_first_link_of_somebody_removes_nothing(world):
    nobody = accounts.create_person("new@example.com", world.clock())
    first = build_link(nobody, world.app.extensions["embed"].signer, "")

    assert "removed" not in Guest(world).get(first).text


def test_link_works_for_a_day(world, link):
    world.clock.forward(hours=23, minutes=59, seconds=59)
    assert Guest(world).get(link).status_code == 200
    world.clock.forward(seconds=1)
    late = Guest(world).get(link)
    assert (late.status_code, "This link has expired" in late.text) == (404, True)


def test_link_that_we_did_not_make_is_refused(world, link):
    for wrong in (link[:-4] + "AAAA", "/dashboard/password/x", "/dashboard/password/%00"):
        assert Guest(world).get(wrong).status_code == 404


def test_link_of_somebody_else_ends_the_session_of_whoever_follows_it(world, owner, link):
    other = Guest(world)
    accounts.create_person("other@example.com", world.clock())
    other.sign_in()

    other.submit(link, **NEW)

    assert owner.email in other.get("/dashboard/account").text
    assert owner.get("/dashboard/").status_code == 302


def test_link_is_in_no_page_and_not_in_the_log_of_a_failure(world, link, monkeypatch, caplog):
    answer = Guest(world).get(link)
    assert answer.status_code == 200
    assert link.rpartition("/")[2] not in answer.text
    monkeypatch.setattr(sign_in, "render", None)

    assert Guest(world).get(link).status_code == 500

    assert "Unexpected failure" in caplog.text
    assert link.rpartition("/")[2] not in caplog.text
