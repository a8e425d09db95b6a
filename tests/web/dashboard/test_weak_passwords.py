"""A password that is easy to guess is refused where one is chosen, and works where it is in use."""

import html
import logging

import pytest
from guest import ACCOUNT, Guest
from nacl.pwhash import argon2id
from support.owner_browser import PASSWORD, OwnerBrowser, read_text

from embed.db.models import Member, Person
from embed.domain.passwords import GUESSABLE
from embed.people.passwords import build_link

pytestmark = pytest.mark.slow

WEAK, STRONG = "qwertyuiop[]", "another long password"
WITHOUT_OWN_WORDS = "Without your email address, this site's name and the names of your pages"


def choose_by_link(owner: OwnerBrowser, password: str):
    signer = owner.world.app.extensions["embed"].signer
    link = build_link(Person.get_by_id(owner.owner.id), signer, "")
    return Guest(owner.world).submit(link, password=password)


def change(owner: OwnerBrowser, password: str, *, present: str = PASSWORD):
    owner.find_new_token()
    return owner.post(ACCOUNT, current=present, password=password)


def have(owner: OwnerBrowser, password: str) -> None:
    """Let the owner have a password, and be signed out, as before passwords were judged."""
    owner.post("/dashboard/sign-out")
    least = {"opslimit": argon2id.OPSLIMIT_MIN, "memlimit": argon2id.MEMLIMIT_MIN}
    hashed = argon2id.str(password.encode(), **least).decode()
    Person.update(password_hash=hashed).where(Person.id == owner.owner.id).execute()


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
    "password",
    ["owner@example.com", "localhost2024", "Zephyrine-77", "qxjwv-2024", "Obsidian 2024"],
)
def test_words_of_address_host_and_own_pages_are_easy_to_guess(world, owner, password):
    names = {"token_name": "Zephyrine", "token_symbol": "QXJWV", "public_title": "Obsidian"}
    world.configure(**names)

    refused = change(owner, password)

    assert refused.status_code == 422
    assert WITHOUT_OWN_WORDS in read_text(refused)


def test_words_of_pages_that_one_is_a_member_of_are_easy_to_guess(world, stranger):
    world.configure(public_title="Harbor Lights")
    harbor = "harbor lights 1"
    assert change(stranger, harbor).status_code == 303

    now = world.clock()
    Member.create(page=world.page_id, person=stranger.owner, role="viewer", created_at=now)

    refused = change(stranger, harbor, present=harbor)
    assert refused.status_code == 422
    assert WITHOUT_OWN_WORDS in read_text(refused)


def test_weak_password_in_use_signs_in_and_nothing_about_it_is_stored_or_logged(
    world, owner, caplog
):
    caplog.set_level(logging.DEBUG)
    have(owner, WEAK)
    signing_in = {"session": [], "account_event": []}  # what a sign-in itself writes
    before = world.dump() | signing_in

    answers = [
        owner.sign_in_again(password=WEAK),
        change(owner, WEAK, present=WEAK),
        choose_by_link(owner, WEAK),
    ]

    assert [answer.status_code for answer in answers] == [303, 422, 422]
    after = world.dump()
    assert after | signing_in == before
    for text in (WEAK, GUESSABLE):
        assert text not in caplog.text + repr(after)
