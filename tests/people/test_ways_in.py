"""What must remain of a person's ways in."""

from functools import partial

import pytest
from support.passkey_device import store_passkey
from support.remote import at_once

from embed.db import connection
from embed.db.connection import db
from embed.db.models import Passkey, Person, RecoveryCode, Session
from embed.domain.passwords import fingerprint
from embed.errors import InvalidInput, NotFound
from embed.people import accounts, passwords, sessions, ways_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

HOST, FORMER_HOST = "embed.example", "former.example"
PASSWORD = "a long enough password"


@pytest.fixture
def person(app, clock) -> Person:
    """Somebody whose password is off."""
    return accounts.create_person("ann@example.com", clock())


@pytest.fixture
def add_passkey(person, clock):
    def add(host: str = HOST) -> Passkey:
        number = Passkey.select().count()
        return store_passkey(person, clock(), host=host, credential_id=f"credential{number}")

    return add


@pytest.fixture
def add_code(person, clock):
    def add() -> RecoveryCode:
        number = RecoveryCode.select().count()
        return RecoveryCode.create(person=person, code_hash=f"hash{number}", created_at=clock())

    return add


def may_lose(person: Person, passkey: Passkey) -> bool:
    try:
        ways_in.check_may_lose_passkey(person, passkey, HOST)
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize(
    ("hosts", "codes", "may"),
    [
        ([], 0, False),
        ([], 8, False),
        ([HOST], 0, False),
        ([HOST], 1, True),
        ([HOST, HOST], 0, True),
        ([HOST, FORMER_HOST], 0, False),
        ([FORMER_HOST], 8, False),
    ],
)
def test_password_goes_off_with_two_passkeys_or_a_passkey_and_codes(
    person, add_passkey, add_code, hosts, codes, may
):
    for host in hosts:
        add_passkey(host)
    for _ in range(codes):
        add_code()

    assert ways_in.may_switch_password_off(person, HOST) == may


def test_others_ways_in_do_not_count(person, add_passkey, add_code, clock):
    add_passkey()
    add_code()

    other = accounts.create_person("bob@example.com", clock())

    assert not ways_in.may_switch_password_off(other, HOST)


def test_passkey_is_kept_where_too_little_would_remain(person, add_passkey, add_code):
    first = add_passkey()
    assert not may_lose(person, first)
    second = add_passkey()
    assert not may_lose(person, second)
    add_code()
    assert may_lose(person, second)
    second.delete_instance()
    assert not may_lose(person, first)


def test_passkey_of_a_former_host_is_never_missed(person, add_passkey):
    add_passkey()

    assert may_lose(person, add_passkey(FORMER_HOST))


def test_person_with_a_password_may_lose_the_last_passkey(person, add_passkey):
    person.password_hash = "x"

    assert may_lose(person, add_passkey())


def test_two_removals_at_once_leave_two_ways_in(person, clock, add_passkey):
    keys = [add_passkey() for _ in range(3)]
    session, _ = sessions.begin(person, clock())

    def remove(passkey: Passkey) -> bool:
        try:
            with db.atomic():
                locked = ways_in.lock_person(session)
                ways_in.check_may_lose_passkey(locked, passkey, HOST)
                passkey.delete_instance()
        except InvalidInput:
            return False
        finally:
            connection.db.close()
        return True

    removed = at_once([partial(remove, key) for key in keys])

    assert removed.count(True) == 1
    assert Passkey.select().count() == 2


def test_session_from_before_a_new_password_locks_nobody(person, clock):
    session, _ = sessions.begin(person, clock())
    passwords.choose_password(person.id, fingerprint(None), PASSWORD, clock(), host=HOST)

    with pytest.raises(NotFound), db.atomic():
        ways_in.lock_person(session)


def test_new_password_waits_for_a_way_in_that_is_being_added_and_then_ends_the_session(
    person, clock
):
    session, _ = sessions.begin(person, clock())

    def add() -> bool:
        try:
            with db.atomic():
                ways_in.lock_person(session)
                RecoveryCode.create(person=person, code_hash="x", created_at=clock())
        except NotFound:
            return False
        finally:
            connection.db.close()
        return True

    def change() -> bool:
        passwords.choose_password(person.id, fingerprint(None), PASSWORD, clock(), host=HOST)
        connection.db.close()
        return True

    at_once([add, change])

    assert not RecoveryCode.select().exists()  # the link removes them, or it was too late for them
    assert not Session.select().exists()


def test_removed_person_is_not_locked(person, clock):
    person.delete_instance()

    with pytest.raises(NotFound), db.atomic():
        ways_in.lock_person_by_id(person.id)
