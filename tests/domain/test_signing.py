import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import BadSignature, SignatureExpired

from embed.domain.signing import Signed, Signer

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)


def make_signer(*secret_keys: str, now: datetime = NOW) -> Signer:
    return Signer(secret_keys or ["secret"], lambda: now)


def sign(value: object, signer: Signer, lifetime: timedelta = HOUR) -> str:
    return signer.sign("purpose", value, lifetime)


def read(raw: str, signer: Signer, shape: type = list) -> Signed:
    return signer.read("purpose", raw, shape)


SIGNER = make_signer()
VALUE = ["page", 1, "wallet"]
SIGNED = sign(VALUE, SIGNER)


@given(st.lists(st.text() | st.integers()))
def test_value_comes_back_unchanged(value):
    assert read(sign(value, SIGNER), SIGNER).value == value


@given(st.integers(1, 10**10), st.integers(0, 10**12))
def test_value_comes_back_with_its_times(lifetime_ms, passed_ms):
    now, lifetime = NOW + passed_ms * MILLISECOND, lifetime_ms * MILLISECOND
    raw = sign(VALUE, make_signer(now=now), lifetime)

    signed = read(raw, make_signer(now=now + lifetime - MILLISECOND))
    assert (signed.signed_at, signed.expires_at) == (now, now + lifetime)
    with pytest.raises(SignatureExpired) as refusal:
        read(raw, make_signer(now=now + lifetime))
    assert refusal.value.date_signed == now


def test_signed_value_fits_into_addresses_and_cookies():
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", sign(["\xe9\0\u20ac " * 50], SIGNER))


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (str, 5),
        (str, None),
        (str, ["text"]),
        (tuple[str, str], "text"),
        (tuple[str, str], ["one"]),
        (tuple[str, str], ["one", "two", "three"]),
        (tuple[str, str], ["one", 2]),
        (tuple[str, str], {"one": "two"}),
    ],
)
def test_value_of_another_shape_is_refused(shape, value):
    raw = sign(value, SIGNER)

    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER, shape)


@pytest.mark.parametrize(
    "contents", [5, None, "text", [], [1], ["1", VALUE], [1, VALUE, 3], [10**30, VALUE], {}]
)
def test_contents_without_a_lifetime_and_a_value_are_refused(contents):
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(SIGNER._make_serializer("purpose").dumps(contents), SIGNER)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(sign(VALUE, make_signer("another")), id="another secret key"),
        pytest.param(SIGNER.sign("another", VALUE, HOUR), id="another purpose"),
        pytest.param(SIGNER.sign("", VALUE, HOUR), id="no purpose"),
        pytest.param(
            make_signer("purposesecret").sign("", VALUE, HOUR), id="key that runs into the purpose"
        ),
    ],
)
def test_what_was_signed_otherwise_is_refused(raw):
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param(".", id="dot"),
        pytest.param(SIGNED[1:], id="cut at the start"),
        pytest.param(SIGNED[:-3], id="cut at the end"),
        pytest.param(SIGNED.rpartition(".")[0], id="without its signature"),
        pytest.param(SIGNED.rpartition(".")[0] + ".", id="with an empty signature"),
        pytest.param(f".{SIGNED}", id="marked as compressed"),
        pytest.param(SIGNED + "\u0663", id="beyond ASCII"),
        pytest.param(SIGNED + "\ud800", id="lone surrogate"),
        pytest.param("a" * 5000, id="5000 characters"),
    ],
)
def test_altered_value_is_refused(raw):
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER)


@given(st.text(st.characters()) | st.text(st.characters()).map(f"{SIGNED}.".__add__))
def test_any_other_text_is_refused(raw):
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER)


def test_rotation_verifies_what_older_keys_signed():
    rotated = make_signer("newest", "newer", "secret")

    assert read(SIGNED, rotated).value == VALUE


def test_first_key_signs():
    rotated = make_signer("newest", "newer", "secret")

    assert read(sign(VALUE, rotated), make_signer("newest")).value == VALUE


def test_key_that_was_taken_out_verifies_nothing_any_more():
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(SIGNED, make_signer("newest", "newer"))
