"""Sessions as rows: what a credential finds, what ends it, and what is kept of it."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Thread

import pytest
from support.remote import race
from support.world import change_at

from embed.db import connection
from embed.db.models import Person, Session
from embed.domain.clients import Client
from embed.domain.identifiers import hash_key
from embed.events import account_log
from embed.people import accounts, passwords, sessions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
HOST = "embed.example"
PASSWORD = "a long enough password"


@dataclass
class Begun:
    session: Session
    credential: str


@pytest.fixture
def person(app, clock) -> Person:
    return accounts.create_person("ann@example.com", clock())


@pytest.fixture
def begin(person, clock):
    def begin_one(who: Person = person, client: Client = account_log.UNKNOWN) -> Begun:
        return Begun(*sessions.begin(who, change_at(clock(), client=client)))

    return begin_one


def list_ids() -> set[str]:
    return {session.id for session in Session.select()}


def test_row_has_whose_when_browser_and_network_and_a_hash_of_the_secret(begin, person, clock):
    credential = begin(client=Client.parse(FIREFOX, "192.0.2.77")).credential
    session_id, secret = credential.split(".")

    row = Session.get()
    assert (row.id, row.person, row.secret_hash) == (session_id, person, hash_key(secret))
    assert (row.created_at, row.seen_at, row.confirmed_at) == (clock(),) * 3
    assert (row.browser, row.system, row.network) == ("Firefox", "Linux", "192.0.2.0/24")


def test_only_the_whole_credential_finds_a_session(begin, clock, count_statements):
    credential, other = begin().credential, begin().credential
    session_id, secret = credential.split(".")

    assert sessions.find(f"{session_id}.{other.split('.')[1]}", clock()) is None
    assert sessions.find(f"{'x' * 20}.{secret}", clock()) is None
    for raw in ("", ".", session_id, f"{session_id}.", f"{credential}x", f"{session_id}.\ud800"):
        assert count_statements(lambda raw=raw: sessions.find(raw, clock())) == 0
        assert sessions.find(raw, clock()) is None


def test_session_ends_after_14_days_without_a_visit_and_after_90_however_often_it_is_used(
    begin, clock
):
    credential, began_at = begin().credential, clock()
    assert sessions.find(credential, clock() + 14 * DAY)
    assert sessions.find(credential, clock() + 14 * DAY + timedelta(milliseconds=1)) is None

    for _ in range(9):
        clock.forward(days=10)
        sessions.store_visit(sessions.find(credential, clock()), clock())
    assert clock() == began_at + 90 * DAY
    clock.forward(seconds=1)
    assert sessions.find(credential, clock()) is None


def test_visit_is_stored_once_an_hour(begin, clock, count_statements):
    credential, began_at = begin().credential, clock()

    def visit() -> None:
        sessions.store_visit(sessions.find(credential, clock()), clock())

    clock.forward(minutes=59, seconds=59)
    assert count_statements(visit) == 1  # which finds it
    assert Session.get().seen_at == began_at
    clock.forward(seconds=1)
    visit()
    assert Session.get().seen_at == began_at + HOUR
    assert count_statements(visit) == 1


def test_one_the_others_or_all_are_ended_and_nobody_elses(begin, person, clock):
    other = begin(accounts.create_person("bob@example.com", clock())).session
    first, second, _ = (begin().session for _ in range(3))
    change = change_at(clock())

    assert not sessions.end(person, other.id, change)
    assert sessions.end(person, first.id, change)
    assert not sessions.end(person, first.id, change)
    assert sessions.end_others(second, change) == 1
    assert list_ids() == {other.id, second.id}
    assert sessions.end_all(person, change) == 1
    assert list_ids() == {other.id}


def test_nobody_who_has_another_password_by_now_or_was_removed_begins_one(person, clock):
    passwords.choose_password(person, PASSWORD, change_at(clock()), host=HOST)
    assert sessions.begin(person, change_at(clock())) is None

    changed = accounts.get_person(person.email)
    changed.delete_instance()
    assert sessions.begin(changed, change_at(clock())) is None
    assert list_ids() == set()


def test_sign_in_during_a_change_of_the_password_does_not_outlive_it(person, clock, monkeypatch):
    begun = []

    def sign_in() -> None:
        begun.append(sessions.begin(person, change_at(clock())))
        connection.db.close()

    late = Thread(target=sign_in)
    end_all = sessions.end_all

    def end_all_and_let_somebody_sign_in(*arguments, **more) -> int:
        ended = end_all(*arguments, **more)
        late.start()
        late.join(0.5)  # it waits for the end of this transaction, or would be done by then
        return ended

    monkeypatch.setattr(sessions, "end_all", end_all_and_let_somebody_sign_in)
    passwords.choose_password(person, PASSWORD, change_at(clock()), host=HOST)
    late.join()

    assert begun == [None]
    assert list_ids() == set()


def test_confirmation_gives_another_credential_and_ends_the_earlier_one(begin, clock):
    begun, other = begin(), begin()
    clock.forward(hours=1)

    credential = sessions.confirm(begun.session, clock())

    assert sessions.find(begun.credential, clock()) is None
    found = sessions.find(credential, clock())
    assert (found.id, found.created_at) == (begun.session.id, clock() - HOUR)
    assert sessions.is_confirmed(found, clock())
    assert not sessions.is_confirmed(sessions.find(other.credential, clock()), clock())


def test_of_two_confirmations_at_once_one_counts(begin, clock):
    confirm = partial(sessions.confirm, begin().session, clock())

    (credential,) = filter(None, race(*[confirm] * 4))

    assert sessions.find(credential, clock()) is not None
