from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.identifiers import make_id
from embed.domain.nonces import Nonce
from embed.domain.session_cookies import find_session_id, sign_session_id
from embed.domain.signing import Signer

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
MILLISECOND = timedelta(milliseconds=1)
SESSION_ID = "Abcdefghij0123456789"


def make_signer(*secret_keys: str, age: timedelta = timedelta()) -> Signer:
    """Return a signer whose clock says NOW, or later."""
    return Signer(secret_keys or ["secret"], lambda: NOW + age)


COOKIE = sign_session_id(SESSION_ID, make_signer())


def test_session_is_known_by_its_cookie():
    assert find_session_id(COOKIE, make_signer()) == SESSION_ID


@pytest.mark.parametrize(
    ("age", "session_id"),
    [
        pytest.param(30 * DAY - MILLISECOND, SESSION_ID, id="a moment before its end"),
        pytest.param(30 * DAY, None, id="at its end"),
        pytest.param(60 * DAY, None, id="long after"),
    ],
)
def test_session_lives_for_30_days(age, session_id):
    assert find_session_id(COOKIE, make_signer(age=age)) == session_id


def test_renewed_cookie_lives_for_another_30_days():
    renewed = sign_session_id(SESSION_ID, make_signer(age=20 * DAY))

    assert find_session_id(renewed, make_signer(age=49 * DAY)) == SESSION_ID


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param(SESSION_ID, id="the id itself"),
        pytest.param(COOKIE[:-5], id="cut"),
        pytest.param(COOKIE.rpartition(".")[0], id="without its signature"),
        pytest.param(f"x{COOKIE}", id="altered"),
        pytest.param(f'"{COOKIE}"', id="in quotes"),
        pytest.param(f"{COOKIE}\xe9", id="beyond ASCII"),
        pytest.param(sign_session_id(SESSION_ID, make_signer("another")), id="another secret key"),
    ],
)
def test_broken_cookie_is_as_good_as_none(raw):
    assert find_session_id(raw, make_signer()) is None


@given(st.text(st.characters()))
def test_any_text_that_is_no_cookie_is_as_good_as_none(raw):
    assert find_session_id(raw, make_signer()) is None


def test_nonce_is_no_cookie():
    nonce_id, _ = Nonce.issue(
        make_signer(),
        page_id=make_id(),
        wallet_address="1" * 32,
        key_id=make_id(),
        host="embed.example",
        lifetime=DAY,
    )

    assert find_session_id(nonce_id, make_signer()) is None


def test_cookie_outlives_a_rotation_of_the_secret_key():
    rotated = make_signer("newer", "secret")

    assert find_session_id(COOKIE, rotated) == SESSION_ID
    assert find_session_id(sign_session_id(SESSION_ID, rotated), make_signer()) is None


def test_cookie_that_an_earlier_version_set_is_still_known():
    """It was set with the key "secret" at NOW by version 0.5.0."""
    cookie = "WzI1OTIwMDAwMDAsIkFiY2RlZmdoaWowMTIzNDU2Nzg5Il0"
    cookie += ".AZwTY0nA.AAxyTBjCjdGCAOQ853yxxXKLqz-Io5KaD_92xS3NDN0"

    assert find_session_id(cookie, make_signer(age=30 * DAY - MILLISECOND)) == SESSION_ID


def test_cookie_value_needs_no_quoting():
    assert set(COOKIE) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
