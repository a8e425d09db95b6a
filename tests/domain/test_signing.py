import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import BadSignature, SignatureExpired

from embed.domain.signing import Signed, Signer, _make_serializer

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


@given(st.lists(st.text() | st.integers()), st.integers(1, 10**10), st.integers(0, 10**12))
def test_value_comes_back_with_its_times(value, lifetime_ms, passed_ms):
    now, lifetime = NOW + passed_ms * MILLISECOND, lifetime_ms * MILLISECOND
    raw = sign(value, make_signer(now=now), lifetime)
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", raw)  # as addresses and cookies can have it

    signed = read(raw, make_signer(now=now + lifetime - MILLISECOND))
    assert signed.value == value
    assert (signed.signed_at, signed.expires_at) == (now, now + lifetime)
    with pytest.raises(SignatureExpired) as refusal:
        read(raw, make_signer(now=now + lifetime))
    assert refusal.value.date_signed == now


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (str, None),
        (tuple[str, str], "text"),
        (tuple[str, str], ["one", "two", "three"]),
        (tuple[str, str], ["one", 2]),
    ],
)
def test_value_of_another_shape_is_refused(shape, value):
    raw = sign(value, SIGNER)

    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER, shape)


@pytest.mark.parametrize("contents", [None, [1], ["1", VALUE], [1, VALUE, 3], [10**30, VALUE]])
def test_contents_without_a_lifetime_and_a_value_are_refused(contents):
    serializer = _make_serializer(tuple(SIGNER.secret_keys), "purpose")
    signer = serializer.make_signer("purpose")
    signer.now = SIGNER.clock()

    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(signer.sign(serializer.dump_payload(contents)).decode(), SIGNER)


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


@given(st.text(st.characters()) | st.text(st.characters()).map(f"{SIGNED}.".__add__))
def test_any_other_text_is_refused(raw):
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(raw, SIGNER)


def test_no_character_of_what_is_signed_can_be_changed():
    for position in range(SIGNED.rindex(".")):
        changed = "A" if SIGNED[position] != "A" else "B"
        with pytest.raises(BadSignature, match=r"^not signed here$"):
            read(SIGNED[:position] + changed + SIGNED[position + 1 :], SIGNER)


def test_first_key_signs_and_all_verify():
    rotated = make_signer("newest", "newer", "secret")

    assert read(SIGNED, rotated).value == VALUE
    assert read(sign(VALUE, rotated), make_signer("newest")).value == VALUE
    with pytest.raises(BadSignature, match=r"^not signed here$"):
        read(SIGNED, make_signer("newest", "newer"))
