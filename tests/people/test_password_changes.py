"""Choosing a password by the operator's link, and changing it."""

from functools import partial

import pytest
from support.passkey_device import store_passkey
from support.remote import race
from support.world import change_at

from embed.db.models import AccountEvent, Passkey, Person, Session
from embed.domain.signing import Signer
from embed.errors import InvalidInput, NotFound
from embed.events.kinds import read_facts
from embed.people import accounts, passwords, sessions

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
    return passwords.choose_password(ann, FIRST, change_at(clock()), host=HOST)


@pytest.fixture
def session(person, clock) -> Session:
    """A session of someone who has a passkey, too."""
    store_passkey(person, clock(), host=HOST, credential_id=person.id)
    return sessions.begin(person, change_at(clock()))[0]


def test_link_removes_the_persons_passkeys_and_sessions_and_nobody_elses(person, session, clock):
    other = accounts.create_person("bob@example.com", clock())
    store_passkey(other, clock(), host=HOST, credential_id=other.id)
    kept = sessions.begin(other, change_at(clock()))[0]

    passwords.choose_password(person, SECOND, change_at(clock()), host=HOST)

    assert [passkey.person for passkey in Passkey.select()] == [other]
    assert list(Session.select()) == [kept]
    removed = AccountEvent.get(AccountEvent.kind == "passkeys removed by link")
    assert (removed.person, read_facts(removed.data)) == (person, {"count": 1})
    assert passwords.find_by_password(person.email, SECOND) == person


def test_password_that_is_refused_removes_nothing(person, session, clock):
    with pytest.raises(InvalidInput):
        passwords.choose_password(person, "1234567890", change_at(clock()), host=HOST)

    assert Passkey.select().count() == 1
    assert list(Session.select()) == [session]


def test_link_ends_with_the_password_and_with_the_person(person, clock):
    signer = Signer(["secret"], clock)

    def make_token() -> str:
        return passwords.build_link(person, signer, "").rpartition("/")[2]

    before = make_token()
    assert passwords.find_by_link(before, signer) == person
    person = passwords.choose_password(person, SECOND, change_at(clock()), host=HOST)
    after = make_token()
    with pytest.raises(passwords.UsedLink):
        passwords.find_by_link(before, signer)
    assert passwords.find_by_link(after, signer) == person
    person.delete_instance()
    assert passwords.find_by_link(after, signer) is None


def test_link_of_version_0_7_0_still_works(app, clock):
    """It was made with the key "secret" for a person without a password, when the clock began."""
    raw = (
        "Wzg2NDAwMDAwLFsicGVyc29uNzg5MDEyMzQ1Njc4OTAiLCJlM2IwYzQ0Mjk4ZmMxYzE0Il1d"
        ".AZwTY0nA.7AsDwvI1DBnrvddH1WfgMf3Er_hfxgxgmdXgqNqiDd0"
    )
    new = Person.create(id="person78901234567890", email="new@example.com", created_at=clock())

    assert passwords.find_by_link(raw, Signer(["secret"], clock)) == new


def test_of_two_uses_of_a_link_at_once_one_counts(person, clock):
    use = partial(passwords.choose_password, person, change=change_at(clock()), host=HOST)

    outcomes = race(partial(use, FIRST), partial(use, SECOND))

    assert outcomes.count("UsedLink") == 1


def test_change_keeps_passkeys_and_ends_all_sessions(person, session, clock):
    sessions.begin(person, change_at(clock()))

    passwords.change_password(session, SECOND, change_at(clock()), host=HOST)

    assert Passkey.select().count() == 1
    assert not Session.select().exists()


@pytest.mark.parametrize("ended", [True, False], ids=["session ended", "password is another"])
def test_session_of_before_changes_no_password(person, session, clock, ended):
    if ended:
        sessions.end_all(person, change_at(clock()))
    else:
        Person.update(password_hash="$another").where(Person.id == person.id).execute()
    before = Person.get_by_id(person.id).password_hash

    with pytest.raises(NotFound):
        passwords.change_password(session, SECOND, change_at(clock()), host=HOST)
    assert Person.get_by_id(person.id).password_hash == before
