"""Choosing a password: by one-time links, and none that is easy to guess."""

import html

import pytest
from guest import ACCOUNT, HOME, Guest
from support.owner_browser import PASSWORD, OwnerBrowser, read_text
from support.passkey_device import store_passkey

from embed.db.models import Passkey, Person
from embed.domain.passwords import GUESSABLE
from embed.people import accounts
from embed.people.passwords import build_link
from embed.web.dashboard import sign_in

pytestmark = pytest.mark.slow

WEAK, STRONG = "qwertyuiop[]", "another long password"
WITHOUT_OWN_WORDS = "Without your email address, this site's name and the names of your pages"


def make_link(owner: OwnerBrowser) -> str:
    signer = owner.world.app.extensions["embed"].signer
    return build_link(Person.get_by_id(owner.owner.id), signer, "")


@pytest.fixture
def link(owner) -> str:
    return make_link(owner)


@pytest.mark.databases("sqlite", "postgres")
def test_link_works_once_and_says_what_it_removes_before_it_does(world, owner, link):
    guest = Guest(world)
    store_passkey(owner.owner, world.clock())
    assert "removes your passkeys" in guest.get(link).text
    assert Passkey.select().exists()

    assert guest.submit(link, password=STRONG).status_code == 303

    assert guest.is_signed_in
    assert not Passkey.select().exists()
    assert "which removed passkeys: 1" in guest.get(ACCOUNT).text
    assert guest.get(link).location == HOME
    again = Guest(world).get(link)
    assert (again.status_code, "works only once" in again.text) == (410, True)


def test_link_works_for_a_day(world, link):
    world.clock.forward(hours=23, minutes=59, seconds=59)
    assert Guest(world).get(link).status_code == 200
    world.clock.forward(seconds=1)
    late = Guest(world).get(link)
    assert (late.status_code, "This link has expired" in late.text) == (404, True)


def test_link_of_somebody_else_ends_the_session_of_whoever_follows_it(world, owner, link):
    other = Guest(world)
    accounts.create_person("other@example.com", world.clock())
    other.sign_in()

    other.submit(link, password=STRONG)

    assert owner.email in other.get(ACCOUNT).text
    assert owner.get(HOME).status_code == 302


def test_link_is_in_no_page_and_not_in_the_log_of_a_failure(world, link, monkeypatch, caplog):
    answer = Guest(world).get(link)
    assert answer.status_code == 200
    assert link.rpartition("/")[2] not in answer.text
    monkeypatch.setattr(sign_in, "render", None)

    assert Guest(world).get(link).status_code == 500

    assert "Unexpected failure" in caplog.text
    assert link.rpartition("/")[2] not in caplog.text


# Guessable passwords


def choose_by_link(owner: OwnerBrowser, password: str):
    return Guest(owner.world).submit(make_link(owner), password=password)


def change(owner: OwnerBrowser, password: str, *, present: str = PASSWORD):
    owner.find_new_token()
    return owner.post(ACCOUNT, current=present, password=password)


@pytest.mark.parametrize("choose", [choose_by_link, change])
def test_weak_password_is_refused_and_the_form_goes_on_working(owner, choose):
    before = Person.get_by_id(owner.owner.id).password_hash

    refused = choose(owner, WEAK)

    assert refused.status_code == 422
    assert GUESSABLE in read_text(refused)
    assert WEAK not in html.unescape(refused.text)
    assert Person.get_by_id(owner.owner.id).password_hash == before
    assert choose(owner, STRONG).status_code == 303


def test_nothing_is_changed_or_judged_before_the_present_password_is_right(owner):
    before = Person.get_by_id(owner.owner.id).password_hash
    for password in (WEAK, STRONG):
        refused = change(owner, password, present="a wrong password")

        assert "isn't your current password" in read_text(refused)
        assert GUESSABLE not in read_text(refused)
    assert Person.get_by_id(owner.owner.id).password_hash == before


@pytest.mark.parametrize(
    ("role", "password"),
    [
        ("owner", "owner@example.com"),
        ("owner", "localhost2024"),
        ("owner", "Zephyrine-77"),
        ("viewer", "Zephyrine-77"),
    ],
)
def test_words_of_address_host_and_own_pages_are_easy_to_guess(
    world, owner, make_member, role, password
):
    world.configure(token_name="Zephyrine")

    refused = change(owner if role == "owner" else make_member(role), password)

    assert refused.status_code == 422
    assert WITHOUT_OWN_WORDS in read_text(refused)
