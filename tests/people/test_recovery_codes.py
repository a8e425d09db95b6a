"""Recovery codes: what a code finds, how often, and what takes the place of earlier ones."""

import re
from datetime import timedelta
from functools import partial

import pytest
from support.remote import at_once
from support.world import SECRET_KEY

from embed.db import connection
from embed.db.models import AccountEvent, Person, RecoveryCode, Session
from embed.domain.activity import read_facts
from embed.domain.identifiers import hash_key
from embed.domain.recovery_codes import ALPHABET, OfferSigner, hash_code, make_codes
from embed.errors import InvalidInput, NotFound
from embed.people import accounts, recovery_codes, sessions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

ANN = "ann@example.com"
PASSWORD = "four words that nobody says"


@pytest.fixture
def person(app, clock) -> Person:
    return accounts.create_person(ANN, clock())


@pytest.fixture
def session(person, clock) -> Session:
    return sessions.begin(person, clock())[0]


@pytest.fixture
def offers(clock) -> OfferSigner:
    return OfferSigner([SECRET_KEY], clock)


@pytest.fixture
def offer(session, offers, clock):
    """Make new codes, and return them with their offer."""

    def make(of: Session = session):
        codes = make_codes()
        return codes, recovery_codes.read_offer(of, offers.sign(codes, of.id), offers)

    return make


@pytest.fixture
def keep(session, offer, clock):
    """Make new codes, type one in, and return them."""

    def make() -> list[str]:
        codes, offered = offer()
        recovery_codes.keep(session, offered, codes[0], clock())
        return codes

    return make


def list_hashes() -> set[str]:
    return {one.code_hash for one in RecoveryCode.select()}


# The form


def test_codes_are_eight_each_of_120_random_bits():
    codes = make_codes()

    assert len(set(codes)) == 8
    assert all(re.fullmatch(f"[{ALPHABET}]{{6}}(-[{ALPHABET}]{{6}}){{3}}", code) for code in codes)
    assert len(ALPHABET) == 32
    letters = {letter for _ in range(20) for code in make_codes() for letter in code}
    assert letters == {*ALPHABET, "-"}


def test_code_may_be_typed_in_any_case_with_or_without_hyphens():
    code = "0123AB-CDEFGH-JKMNPQ-RSTVWX"

    for typed in (
        code.lower(),
        code.replace("-", ""),
        code.replace("-", " "),
        f" {code}\n",
        code.replace("-", "\u2013"),
        code.replace("0", "o").replace("1", "l"),
        code.replace("0", "O").replace("1", "I"),
    ):
        assert hash_code(typed) == hash_code(code)
    assert hash_code(code[:-1]) != hash_code(code)
    assert hash_code(code[::-1]) != hash_code(code)


@pytest.mark.parametrize("raw", ["", "-", "\ud800", "\0", "x" * 10_000, "٣" * 24])
def test_what_is_no_code_is_wrong_and_no_error(person, keep, raw):
    keep()

    assert recovery_codes.use(ANN, raw) is None


# Before they count


def test_codes_count_once_one_of_them_is_typed_in(person, session, offer, clock):
    codes, offered = offer()
    assert recovery_codes.use(ANN, codes[0]) is None
    with pytest.raises(InvalidInput):
        recovery_codes.keep(session, offered, make_codes()[0], clock())
    assert list_hashes() == set()

    recovery_codes.keep(session, offered, codes[3].lower(), clock())

    assert recovery_codes.count_left(person) == 8
    assert recovery_codes.use(ANN, codes[3]) == (person, 7)
    event = AccountEvent.get(AccountEvent.kind == "recovery codes made")
    assert read_facts(event.data) == {"count": 8}


def test_hashes_are_stored_and_no_codes(keep):
    codes = keep()

    plain = {code.replace("-", "") for code in codes}
    assert list_hashes() == {hash_key(one) for one in plain}


def test_new_codes_take_the_place_of_all_earlier_ones(person, keep):
    earlier, later = keep(), keep()

    assert recovery_codes.count_left(person) == 8
    assert recovery_codes.use(ANN, earlier[0]) is None
    assert recovery_codes.use(ANN, later[0]) == (person, 7)


def test_codes_that_are_sent_again_bring_no_used_one_back(person, session, offer, clock):
    codes, offered = offer()
    recovery_codes.keep(session, offered, codes[0], clock())
    recovery_codes.use(ANN, codes[0])

    with pytest.raises(InvalidInput, match="Make new ones"):
        recovery_codes.keep(session, offered, codes[0], clock())

    assert recovery_codes.use(ANN, codes[0]) is None
    assert recovery_codes.count_left(person) == 7


def test_codes_are_only_for_the_session_that_was_shown_them(person, session, offers, clock):
    codes = make_codes()
    raw = offers.sign(codes, session.id)
    other = sessions.begin(person, clock())[0]

    with pytest.raises(InvalidInput, match="Make new ones"):
        recovery_codes.read_offer(other, raw, offers)


@pytest.mark.parametrize("change", [str.lower, lambda raw: raw[:-1], lambda raw: "", str.title])
def test_codes_that_were_not_made_here_never_count(session, offers, change):
    raw = offers.sign(make_codes(), session.id)

    with pytest.raises(InvalidInput, match="Make new ones"):
        recovery_codes.read_offer(session, change(raw), offers)


def test_offer_ends_after_an_hour(session, offers, clock):
    raw = offers.sign(make_codes(), session.id)
    clock.forward(minutes=60)
    clock.forward(milliseconds=-1)
    assert recovery_codes.read_offer(session, raw, offers).expires_at == clock() + timedelta(
        milliseconds=1
    )
    clock.forward(milliseconds=1)

    with pytest.raises(InvalidInput, match="Make new ones"):
        recovery_codes.read_offer(session, raw, offers)


def test_session_that_has_ended_keeps_no_codes(person, session, offer, clock):
    codes, offered = offer()
    sessions.end_all(person, clock())

    with pytest.raises(NotFound):
        recovery_codes.keep(session, offered, codes[0], clock())
    assert list_hashes() == set()


def test_two_sets_at_once_leave_one(session, offer, clock):
    sets = [offer() for _ in range(4)]

    def keep(codes, offered) -> None:
        recovery_codes.keep(session, offered, codes[0], clock())
        connection.db.close()

    at_once([partial(keep, *one) for one in sets])

    assert list_hashes() in [set(offered.hashes) for _, offered in sets]


def test_one_set_twice_at_once_counts_once(session, offer, clock):
    codes, offered = offer()

    def keep() -> bool:
        try:
            recovery_codes.keep(session, offered, codes[0], clock())
        except InvalidInput:
            return False
        finally:
            connection.db.close()
        return True

    assert sorted(at_once([keep] * 4)) == [False, False, False, True]


# Using them


def test_each_code_works_once_and_all_eight_do(person, keep):
    for left, code in enumerate(reversed(keep())):
        assert recovery_codes.use(" Ann@Example.com ", code) == (person, 7 - left)
        assert recovery_codes.use(ANN, code) is None
    assert recovery_codes.count_left(person) == 0


def test_of_four_uses_at_once_one_counts(keep):
    code = keep()[0]

    def use() -> bool:
        used = recovery_codes.use(ANN, code)
        connection.db.close()
        return used is not None

    assert sorted(at_once([use] * 4)) == [False, False, False, True]


def test_code_is_for_its_own_person_alone(person, keep, clock):
    codes = keep()
    accounts.create_person("bob@example.com", clock())

    assert recovery_codes.use("bob@example.com", codes[0]) is None
    assert recovery_codes.use("nobody@example.com", codes[0]) is None
    assert recovery_codes.count_left(person) == 8


@pytest.mark.parametrize("email", [ANN, "nobody@example.com", "no address"])
def test_wrong_code_takes_the_same_statements_for_whatever_address(keep, count_statements, email):
    keep()

    assert count_statements(lambda: recovery_codes.use(email, make_codes()[0])) == 2


def test_whoever_makes_new_codes_finds_the_session_that_one_began(
    session, offer, keep, clock, while_it_begins
):
    """Who makes new codes and ends all other sessions leaves none that one began meanwhile."""
    earlier, (codes, offered) = keep(), offer()

    def replace_and_end() -> None:
        recovery_codes.keep(session, offered, codes[0], clock())
        sessions.end_others(session, clock())

    while_it_begins(replace_and_end, partial(recovery_codes.sign_in, ANN, earlier[0], clock()))

    assert list(Session.select()) == [session]
    assert list_hashes() == set(offered.hashes)


def test_removed_person_has_no_codes(person, keep):
    keep()
    person.delete_instance()

    assert list_hashes() == set()
