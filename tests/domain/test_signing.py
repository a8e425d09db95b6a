import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.signing import Signer

SEAL = Signer(["secret"], "purpose")
VALUE = ["page", 1, "wallet"]
SEALED = SEAL.close(VALUE)


@given(st.lists(st.text() | st.integers()))
def test_value_comes_back_unchanged(value):
    assert SEAL.open(SEAL.close(value)) == value


def test_sealed_value_fits_into_addresses_and_cookies():
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", SEAL.close(["\xe9\0\u20ac " * 50]))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Signer(["another"], "purpose"), id="another secret key"),
        pytest.param(Signer(["secret"], "another"), id="another purpose"),
        pytest.param(Signer(["secret"], ""), id="no purpose"),
        pytest.param(Signer(["purposesecret"], ""), id="key that runs into the purpose"),
    ],
)
def test_what_another_seal_closed_does_not_open(other):
    with pytest.raises(ValueError, match=r"^not sealed here$"):
        SEAL.open(other.close(VALUE))


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param(".", id="dot"),
        pytest.param(SEALED[1:], id="cut at the start"),
        pytest.param(SEALED[:-3], id="cut at the end"),
        pytest.param(SEALED.rpartition(".")[0], id="without its signature"),
        pytest.param(SEALED.rpartition(".")[0] + ".", id="with an empty signature"),
        pytest.param(f".{SEALED}", id="marked as compressed"),
        pytest.param(SEALED + "\u0663", id="beyond ASCII"),
        pytest.param(SEALED + "\ud800", id="lone surrogate"),
        pytest.param("a" * 5000, id="5000 characters"),
    ],
)
def test_altered_value_does_not_open(raw):
    with pytest.raises(ValueError, match=r"^not sealed here$"):
        SEAL.open(raw)


@given(st.text(st.characters()) | st.text(st.characters()).map(f"{SEALED}.".__add__))
def test_any_other_text_does_not_open(raw):
    with pytest.raises(ValueError, match=r"^not sealed here$"):
        SEAL.open(raw)


def test_rotation_opens_what_older_keys_sealed():
    rotated = Signer(["newest", "newer", "secret"], "purpose")

    assert rotated.open(SEALED) == VALUE


def test_first_key_seals():
    rotated = Signer(["newest", "newer", "secret"], "purpose")

    assert Signer(["newest"], "purpose").open(rotated.close(VALUE)) == VALUE


def test_key_that_was_taken_out_opens_nothing_any_more():
    with pytest.raises(ValueError, match=r"^not sealed here$"):
        Signer(["newest", "newer"], "purpose").open(SEALED)
