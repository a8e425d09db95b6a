"""Switching the password off and setting one again, and what the operator's link removes."""

import pytest
from support.owner_browser import PASSWORD, find_token, read_text
from support.passkey_device import store_passkey
from test_confirmation import is_asked

from embed.db.models import AccountEvent, Passkey, Person, RecoveryCode, Session
from embed.domain.passwords import has_password, make_switched_off
from embed.people import accounts, passwords

pytestmark = pytest.mark.slow

ACCOUNT = "/dashboard/account"
SET, OFF = f"{ACCOUNT}/password", f"{ACCOUNT}/password/off"
SIGN_IN = "/dashboard/sign-in"
NEW = "four words that nobody says"
NEW_TWICE = {"password": NEW, "again": NEW}


@pytest.fixture
def add_ways_in(world, owner):
    """Give the owner a passkey of this host and a recovery code."""

    def add() -> None:
        store_passkey(owner.owner, world.clock())
        RecoveryCode.create(person=owner.owner, code_hash="x", created_at=world.clock())

    return add


@pytest.fixture
def without(world, owner, add_ways_in):
    """The owner, whose password is off."""
    add_ways_in()
    assert owner.post(OFF).status_code == 303
    owner.find_new_token()
    return owner


def read_person(owner) -> Person:
    return Person.get_by_id(owner.owner.id)


def attempt(world, email: str, password: str = PASSWORD):
    client = world.app.test_client()
    token = find_token(client.get(SIGN_IN).text)
    form = {"csrf_token": token, "email": email, "password": password}
    return client.post(SIGN_IN, data=form)


def fail(answer) -> None:
    """Receive the whole answer, after which the failure is stored."""
    assert answer.status_code == 422
    answer.close()


def list_kinds(owner) -> list[str]:
    events = AccountEvent.select().where(AccountEvent.person == owner.owner)
    return [event.kind for event in events]


def link_for(world, owner) -> str:
    signer = world.app.extensions["embed"].password_links
    return accounts.build_password_url(read_person(owner), signer, "")


def test_password_is_switched_off_and_other_browsers_are_signed_out(world, owner, add_ways_in):
    assert OFF not in owner.get(ACCOUNT).text
    add_ways_in()
    assert OFF in owner.get(ACCOUNT).text
    copied = owner.client.get_cookie("embed_dashboard", path="/dashboard").value
    assert attempt(world, owner.email).status_code == 303

    answer = owner.post(OFF)

    assert answer.status_code == 303
    assert "Your password is off." in owner.see(ACCOUNT)
    assert Session.select().where(Session.person == owner.owner).count() == 1
    thief = world.app.test_client()
    thief.set_cookie("embed_dashboard", copied, path="/dashboard")
    assert thief.get(ACCOUNT).status_code == 302
    assert "You switched the password off" in owner.see(ACCOUNT)


def test_password_stays_on_without_two_other_ways_in(owner):
    assert owner.post(OFF).status_code == 409
    assert has_password(read_person(owner).password_hash)


def test_password_that_is_off_is_as_wrong_as_any_for_anybody(world, without):
    refused = [attempt(world, without.email), attempt(world, "nobody@example.com")]

    assert {answer.status_code for answer in refused} == {422}
    known, unknown = (read_text(answer) for answer in refused)
    assert known == unknown
    stored = read_person(without).password_hash
    assert attempt(world, without.email, stored).status_code == 422


def test_attempt_at_a_password_that_is_off_takes_one_hash_of_full_cost(world, without, monkeypatch):
    from embed.domain import passwords as hashes

    compared = []

    def compare(password_hash, _):
        compared.append(password_hash)
        raise hashes.InvalidkeyError("no")

    monkeypatch.setattr(hashes.pwhash, "verify", compare)
    attempt(world, without.email)
    attempt(world, "nobody@example.com")

    assert compared[0] == compared[1]
    assert len(compared) == 2


def test_password_is_set_again_without_the_current_one_and_others_are_signed_out(world, without):
    page = without.get(ACCOUNT).text
    assert "Current password" not in page
    assert f'action="{SET}"' in page
    sessions_before = {one.id for one in Session.select()}

    answer = without.post(SET, **NEW_TWICE)

    assert answer.status_code == 303
    assert "Your password is set." in without.see(ACCOUNT)
    assert attempt(world, without.email, NEW).status_code == 303
    assert sessions_before.isdisjoint(one.id for one in Session.select())
    assert Passkey.select().exists()
    assert RecoveryCode.select().exists()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"password": NEW},
        {"password": NEW, "again": "other"},
        {"password": "short", "again": "short"},
        {"password": "owner@example.com", "again": "owner@example.com"},
    ],
)
def test_mistake_stands_beside_its_field_and_sets_nothing(world, without, form):
    before = world.dump()

    answer = without.post(SET, **form)

    assert answer.status_code == 422
    assert "-wrong" in answer.text
    assert world.dump() == before


def test_password_that_is_on_is_not_set_without_the_current_one(world, owner):
    before = read_person(owner).password_hash

    assert owner.post(SET, **NEW_TWICE).status_code == 409
    assert read_person(owner).password_hash == before


def test_both_ask_who_it_is(world, without):
    world.clock.forward(minutes=31)

    assert is_asked(without.post(SET, **NEW_TWICE))
    assert is_asked(without.post(OFF))
    assert not has_password(read_person(without).password_hash)


def test_forms_of_other_sites_change_nothing(world, without):
    before = world.dump()

    for path in (SET, OFF):
        assert without.client.post(path, data=NEW_TWICE).status_code == 400
    assert world.dump() == before


def test_whoever_has_no_password_is_asked_for_none_and_may_sign_in_again(world, without):
    world.clock.forward(minutes=31)

    asked = without.get("/dashboard/confirm")

    assert 'name="present_password"' not in asked.text
    assert 'action="/dashboard/sign-out"' in asked.text
    assert "your password is off" in read_text(asked)
    answer = without.post("/dashboard/confirm", present_password=PASSWORD)
    assert answer.status_code == 422


@pytest.mark.parametrize("language", ["de", "ar"])
def test_pages_are_in_the_persons_language(world, without, language):
    without.post("/dashboard/account/language", language=language)

    assert "Set a password" not in without.see(ACCOUNT)
    world.clock.forward(minutes=31)
    assert "your password is off" not in without.see("/dashboard/confirm")


# The operator's link


def test_page_of_the_link_says_what_it_removes_before_it_does(world, owner, add_ways_in):
    add_ways_in()
    path = link_for(world, owner)
    guest = world.app.test_client()

    page = guest.get(path)

    assert "recovery codes are removed" in page.text
    assert Passkey.select().exists()
    token = find_token(page.text)
    answer = guest.post(path, data={"csrf_token": token} | NEW_TWICE)
    assert answer.status_code == 303
    assert not Passkey.select().exists()
    assert not RecoveryCode.select().exists()
    assert owner.get(ACCOUNT).status_code == 302
    told = guest.get(ACCOUNT).text
    assert "removed passkeys: 1, wallets: 0, recovery codes: 1" in told


def test_page_of_a_first_link_speaks_of_nothing_to_remove(world):
    new = accounts.create_person("new@example.com", world.clock())
    signer = world.app.extensions["embed"].password_links

    page = world.app.test_client().get(accounts.build_password_url(new, signer, "")).text

    assert "removed" not in page


def test_link_works_once_while_the_password_is_off(world, without):
    path = link_for(world, without)
    guest = world.app.test_client()
    form = {"csrf_token": find_token(guest.get(path).text)} | NEW_TWICE
    assert guest.post(path, data=form).status_code == 303

    Person.update(password_hash=make_switched_off()).execute()

    assert world.app.test_client().get(path).status_code == 404
    assert guest.post(path, data=form | {"csrf_token": "x"}).status_code in (400, 404)


def test_link_from_before_the_first_password_is_dead_when_it_goes_off(world, owner, add_ways_in):
    Person.update(password_hash=None).where(Person.id == owner.owner.id).execute()
    unused, used = (link_for(world, owner) for _ in range(2))
    world.clock.forward(seconds=1)
    guest = world.app.test_client()
    guest.post(used, data={"csrf_token": find_token(guest.get(used).text)} | NEW_TWICE)
    add_ways_in()
    session = Session.get(Session.person == owner.owner)
    passwords.switch_off(session, world.clock(), host="localhost")

    for path in (unused, used):
        assert world.app.test_client().get(path).status_code == 404


def test_changed_password_keeps_the_ways_in(world, owner, add_ways_in):
    add_ways_in()

    answer = owner.post(ACCOUNT, current=PASSWORD, **NEW_TWICE)

    assert answer.status_code == 303
    assert Passkey.select().exists()
    assert RecoveryCode.select().exists()


# What the log tells of failures


def test_wrong_password_of_somebody_who_is_signed_in_is_in_the_log(world, owner):
    fail(owner.post(ACCOUNT, current="not the password", **NEW_TWICE))
    assert list_kinds(owner).count("confirmation failed") == 1
    world.clock.forward(minutes=61)

    fail(owner.post("/dashboard/confirm", present_password="not the password"))

    assert list_kinds(owner).count("confirmation failed") == 2
    assert "Somebody who was signed in entered a wrong password" in owner.see(ACCOUNT)


def test_failures_are_stored_once_an_hour_of_each_kind(world, owner):
    for _ in range(3):
        fail(owner.post(ACCOUNT, current="not the password", **NEW_TWICE))
        fail(attempt(world, owner.email, "not the password"))

    kinds = list_kinds(owner)
    assert (kinds.count("confirmation failed"), kinds.count("sign-in failed")) == (1, 1)
