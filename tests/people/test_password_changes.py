"""Choosing a password by the operator's link, changing it and switching it off."""

from functools import partial

import pytest
from support.passkey_device import store_passkey
from support.remote import at_once

from embed.db import connection
from embed.db.connection import db
from embed.db.models import AccountEvent, LinkedWallet, Passkey, Person, RecoveryCode, Session
from embed.domain.activity import read_facts
from embed.domain.passwords import fingerprint, has_password, is_correct_password
from embed.errors import InvalidInput, NotFound
from embed.people import accounts, passwords, sessions, ways_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

HOST = "embed.example"
FIRST, SECOND = "four words that nobody says", "five other words that nobody says"


@pytest.fixture
def person(app, clock) -> Person:
    ann = accounts.create_person("ann@example.com", clock())
    return passwords.choose_password(ann.id, fingerprint(None), FIRST, clock(), host=HOST)


@pytest.fixture
def add_ways_in(person, clock):
    """Add a passkey, a wallet and two recovery codes."""

    def add(who: Person = person) -> None:
        store_passkey(who, clock(), host=HOST, credential_id=f"credential of {who.id}")
        LinkedWallet.create(person=who, address=f"wallet {who.id}", created_at=clock())
        for number in range(2):
            code_hash = f"{number} of {who.id}"
            RecoveryCode.create(person=who, code_hash=code_hash, created_at=clock())

    return add


@pytest.fixture
def session(person, clock, add_ways_in) -> Session:
    """A session of somebody who may switch the password off."""
    add_ways_in()
    return sessions.begin(person, clock())[0]


def count_ways_in(person: Person) -> tuple[int, ...]:
    tables = (Passkey, LinkedWallet, RecoveryCode)
    return tuple(table.select().where(table.person == person).count() for table in tables)


def read_facts_of(person: Person, kind: str) -> dict:
    event = AccountEvent.get(AccountEvent.person == person, AccountEvent.kind == kind)
    return read_facts(event.data)


def reset(person: Person, made_for: str, clock) -> Person:
    return passwords.choose_password(person.id, made_for, SECOND, clock(), host=HOST)


# The operator's link


def test_link_removes_the_persons_ways_in_and_sessions_and_nobody_elses(
    person, session, add_ways_in, clock
):
    other = accounts.create_person("bob@example.com", clock())
    add_ways_in(other)
    kept = sessions.begin(other, clock())[0]

    reset(person, fingerprint(person.password_hash), clock)

    assert count_ways_in(person) == (0, 0, 0)
    assert count_ways_in(other) == (1, 1, 2)
    assert list(Session.select()) == [kept]
    removed = {"passkeys": 1, "wallets": 1, "codes": 2}
    assert read_facts_of(person, "ways in removed by link") == removed


def test_link_that_is_refused_removes_nothing(person, session, clock):
    with pytest.raises(NotFound):
        reset(person, "another", clock)
    made_for = fingerprint(person.password_hash)
    with pytest.raises(InvalidInput):
        passwords.choose_password(person.id, made_for, "1234567890", clock(), host=HOST)

    assert count_ways_in(person) == (1, 1, 2)
    assert Session.select().count() == 1


def test_first_password_removes_nothing_that_would_be_told(person):
    kinds = [event.kind for event in AccountEvent.select().where(AccountEvent.person == person)]

    assert kinds == ["password changed"]


def test_link_works_once_for_somebody_whose_password_is_off(session, clock):
    off = passwords.switch_off(session, clock(), host=HOST)
    made_for = fingerprint(off.password_hash)

    chosen = reset(off, made_for, clock)

    assert is_correct_password(SECOND, chosen.password_hash)
    with pytest.raises(NotFound):
        reset(off, made_for, clock)


def test_no_earlier_link_comes_alive_when_the_password_goes_off(
    person, session, add_ways_in, clock
):
    earlier = [fingerprint(None), fingerprint(person.password_hash)]
    off = passwords.switch_off(session, clock(), host=HOST)
    earlier.append(fingerprint(off.password_hash))
    changed = passwords.change_password(sessions.begin(off, clock())[0], SECOND, clock(), host=HOST)
    earlier.append(fingerprint(changed.password_hash))

    passwords.switch_off(sessions.begin(changed, clock())[0], clock(), host=HOST)

    for made_for in earlier:
        with pytest.raises(NotFound):
            reset(person, made_for, clock)
    assert count_ways_in(person) == (1, 1, 2)


def test_of_two_uses_of_a_link_at_once_one_counts(session, clock):
    off = passwords.switch_off(session, clock(), host=HOST)

    def use(password: str) -> bool:
        try:
            made_for = fingerprint(off.password_hash)
            passwords.choose_password(off.id, made_for, password, clock(), host=HOST)
        except NotFound:
            return False
        finally:
            connection.db.close()
        return True

    assert sorted(at_once([partial(use, FIRST), partial(use, SECOND)])) == [False, True]


# A change, and switching off


def test_change_keeps_the_ways_in_and_ends_all_sessions(person, session, clock):
    sessions.begin(person, clock())

    passwords.change_password(session, SECOND, clock(), host=HOST)

    assert count_ways_in(person) == (1, 1, 2)
    assert not Session.select().exists()


def test_session_that_has_ended_changes_no_password(person, session, clock):
    sessions.end_all(person, clock())

    with pytest.raises(NotFound):
        passwords.change_password(session, SECOND, clock(), host=HOST)
    with pytest.raises(NotFound):
        passwords.switch_off(session, clock(), host=HOST)
    assert accounts.find_by_password(person.email, FIRST) == person


def test_password_that_is_another_by_now_is_not_changed(person, session, clock):
    Person.update(password_hash="$another").where(Person.id == person.id).execute()

    with pytest.raises(NotFound):
        passwords.change_password(session, SECOND, clock(), host=HOST)


def test_switched_off_password_signs_nobody_in_and_ends_all_sessions(person, session, clock):
    sessions.begin(person, clock())

    off = passwords.switch_off(session, clock(), host=HOST)

    assert not has_password(off.password_hash)
    assert not has_password(Person.get_by_id(person.id).password_hash)
    assert accounts.find_by_password(person.email, FIRST) is None
    assert accounts.find_by_password(person.email, off.password_hash) is None
    assert not Session.select().exists()
    assert count_ways_in(person) == (1, 1, 2)
    assert read_facts_of(person, "password switched off") == {}
    assert read_facts_of(person, "session ended by password off") == {"count": 2}
    assert sessions.begin(person, clock()) is None  # of before


def test_password_stays_on_with_fewer_than_two_other_ways_in(person, session, clock):
    RecoveryCode.delete().execute()

    with pytest.raises(InvalidInput):
        passwords.switch_off(session, clock(), host=HOST)

    assert accounts.find_by_password(person.email, FIRST) == person


def test_password_that_is_off_stays_as_it_is(session, clock):
    off = passwords.switch_off(session, clock(), host=HOST)
    again = sessions.begin(off, clock())[0]

    with pytest.raises(InvalidInput):
        passwords.switch_off(again, clock(), host=HOST)


def test_password_does_not_go_off_while_the_passkey_is_removed(person, session, clock):
    """Whichever comes first, a way in remains."""

    def switch_off() -> None:
        try:
            passwords.switch_off(session, clock(), host=HOST)
        except (InvalidInput, NotFound):
            pass
        finally:
            connection.db.close()

    def remove() -> None:
        try:
            with db.atomic():
                locked = ways_in.lock_person(session)
                passkey = Passkey.get(Passkey.person == locked)
                ways_in.check_may_lose_passkey(locked, passkey, HOST)
                passkey.delete_instance()
        except (InvalidInput, NotFound):
            pass
        finally:
            connection.db.close()

    at_once([switch_off, remove])

    is_on = has_password(Person.get_by_id(person.id).password_hash)
    assert is_on != Passkey.select().exists()
