"""Passkeys and the database: what happens at once counts once."""

from functools import partial

import pytest
from support.passkey_device import Device
from support.remote import race
from support.world import change_at

from embed.db.models import AccountEvent, Passkey, Person, Session, UsedNonce
from embed.domain import passkeys as ceremonies
from embed.domain.passkeys import ADD, SIGN_IN, RelyingParty, issue_challenge
from embed.domain.signing import Signer
from embed.errors import InvalidInput, NotFound
from embed.people import accounts, passkeys, sessions
from embed.people.passkeys import Ceremony

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

ORIGIN = "https://embed.example"


@pytest.fixture
def ceremony(clock) -> Ceremony:
    return Ceremony(
        party=RelyingParty.find(ORIGIN),
        signer=Signer(["k" * 40], clock),
        change=change_at(clock()),
    )


@pytest.fixture
def person(app, clock) -> Person:
    return accounts.create_person("ann@example.com", clock(), password_hash="x")


@pytest.fixture
def session(person, clock) -> Session:
    return sessions.begin(person, change_at(clock()))[0]


def make_answer(ceremony: Ceremony, session: Session, device: Device) -> str:
    challenge = issue_challenge(ceremony.signer, ADD, session.id)
    return device.create(
        ceremonies.describe_creation(
            ceremony.party,
            challenge,
            person_id=session.person_id,
            email=session.person.email,
            known_ids=[],
        )
    )


@pytest.fixture
def device(ceremony, session) -> Device:
    """A device with a passkey of the person."""
    device = Device(ORIGIN, "embed.example", count=1)
    passkeys.add(session, "Laptop", make_answer(ceremony, session, device), ceremony)
    return device


def answer(ceremony: Ceremony, device: Device) -> str:
    return device.get(
        ceremonies.describe_request(ceremony.party, issue_challenge(ceremony.signer, SIGN_IN))
    )


def test_one_answer_that_arrives_four_times_at_once_signs_in_once(ceremony, device, clock):
    raw = answer(ceremony, device)

    outcomes = race(*[partial(passkeys.sign_in, raw, ceremony)] * 4)

    assert outcomes.count("RefusedPasskey") == 3
    kept = Passkey.get()
    assert (kept.sign_count, kept.used_at) == (2, clock())


def test_of_two_answers_with_one_count_at_once_the_copy_is_refused(ceremony, device):
    first = answer(ceremony, device)
    device.count -= 1
    second = answer(ceremony, device)

    outcomes = race(*[partial(passkeys.sign_in, raw, ceremony) for raw in (first, second)])

    assert outcomes.count("InvalidInput") == 1
    refused = AccountEvent.select().where(AccountEvent.kind == "passkey refused")
    assert refused.count() == 1


@pytest.mark.parametrize("end", ["passkey", "person"])
def test_passkey_that_is_removed_at_that_moment_signs_nobody_in_and_is_no_copy(
    ceremony, session, device, clock, monkeypatch, end
):
    verify = ceremonies.verify_assertion

    def verify_and_remove(*arguments, **named) -> int:
        sign_count = verify(*arguments, **named)
        if end == "person":
            session.person.delete_instance()
        else:
            passkey = Passkey.get()
            passkeys.remove(session, passkey.id, change_at(clock()))
        return sign_count

    monkeypatch.setattr(ceremonies, "verify_assertion", verify_and_remove)

    with pytest.raises(InvalidInput, match="doesn't know this passkey"):
        passkeys.sign_in(answer(ceremony, device), ceremony)

    assert list(Session.select()) == ([] if end == "person" else [session])
    assert not AccountEvent.select().where(AccountEvent.kind == "passkey refused").exists()


def test_session_that_has_ended_adds_and_removes_none(ceremony, session, device, person, clock):
    raw = make_answer(ceremony, session, Device(ORIGIN, "embed.example"))
    sessions.end_all(person, change_at(clock()))

    with pytest.raises(NotFound):
        passkeys.add(session, "Laptop", raw, ceremony)
    with pytest.raises(NotFound):
        passkeys.remove(session, Passkey.get().id, change_at(clock()))
    assert Passkey.select().count() == 1


def test_challenge_of_a_refused_answer_is_free_for_another_try(ceremony, session):
    """What fails stores nothing, so the same question can be answered again."""
    raw = make_answer(ceremony, session, Device(ORIGIN, "embed.example"))

    with pytest.raises(InvalidInput):
        passkeys.add(session, " ", raw, ceremony)

    assert UsedNonce.select().count() == 0
    passkeys.add(session, "Laptop", raw, ceremony)
