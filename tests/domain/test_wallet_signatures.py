import base64
import itertools

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from embed.domain.wallet_signatures import verify_signature
from embed.errors import ApiError

GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

HOST = "embed.example"
WALLET = SigningKey(bytes(range(32)))
ADDRESS = base58.b58encode(bytes(WALLET.verify_key)).decode()


def encode_address(hex_key: str) -> str:
    return base58.b58encode(bytes.fromhex(hex_key)).decode()


def encode(signature: bytes) -> str:
    return base64.b64encode(signature).decode()


def sign(message: str) -> bytes:
    return WALLET.sign(message.encode()).signature


# Its signature has both characters in which the two base64 alphabets differ.
MESSAGE = next(
    message
    for message in map("message {}".format, itertools.count())
    if {"+", "/"} <= set(encode(sign(message)))
)
SIGNATURE = sign(MESSAGE)
GOOD = encode(SIGNATURE)

# RFC 8032, 7.1: TEST 1 and TEST 2, whose messages are text.
RFC_8032 = [
    pytest.param(
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        id="empty message",
    ),
    pytest.param(
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "r",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        id="one byte",
    ),
]

# The encodings of all points whose order divides the cofactor.
SPECIAL_POINTS = {
    "order 1, the identity": "01" + "00" * 31,
    "order 2": "ec" + "ff" * 30 + "7f",
    "order 4, all zero": "00" * 32,
    "order 4, negative": "00" * 31 + "80",
    "order 8": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "order 8, negative": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "order 8, other": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "order 8, other, negative": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    # Their non-canonical encodings: y is 2**255 - 19 or more, or x = 0 with a sign.
    "y = p, so 0": "ed" + "ff" * 30 + "7f",
    "y = p, negative": "ed" + "ff" * 31,
    "y = p + 1, so the identity": "ee" + "ff" * 30 + "7f",
    "y = p + 1, negative": "ee" + "ff" * 31,
    "minus the identity": "01" + "00" * 30 + "80",
    "minus order 2": "ec" + "ff" * 31,
}


def test_signature_of_the_wallet_is_proof():
    verify_signature(ADDRESS, MESSAGE, GOOD, host=HOST)


@pytest.mark.parametrize(("hex_key", "message", "hex_signature"), RFC_8032)
def test_vectors_of_the_standard_verify(hex_key, message, hex_signature):
    verify_signature(
        encode_address(hex_key), message, encode(bytes.fromhex(hex_signature)), host=HOST
    )


def test_signature_of_another_wallet_is_refused():
    other = SigningKey(bytes(32))

    with pytest.raises(ApiError, match=r"^invalid_signature$") as refusal:
        verify_signature(
            ADDRESS, MESSAGE, encode(other.sign(MESSAGE.encode()).signature), host=HOST
        )

    assert refusal.value.status == 401


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("", id="empty"),
        pytest.param(f"{MESSAGE}\n", id="newline at the end"),
        pytest.param(f"\x19{MESSAGE}", id="with a prefix"),
    ],
)
def test_signature_of_another_message_is_refused(message):
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, MESSAGE, encode(sign(message)), host=HOST)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param(encode(SIGNATURE[:63]), id="63 bytes"),
        pytest.param(encode(SIGNATURE + b"\0"), id="65 bytes"),
        pytest.param(GOOD.rstrip("="), id="no padding"),
        pytest.param(GOOD.replace("+", "-").replace("/", "_"), id="the URL-safe alphabet"),
        pytest.param(f"{GOOD}\n", id="newline at the end"),
        pytest.param(f"{GOOD[:76]}\n{GOOD[76:]}", id="broken into lines"),
        pytest.param(f"{GOOD[:40]}*{GOOD[40:]}", id="with a character of no alphabet"),
        pytest.param(f"{GOOD[:40]}\ud800{GOOD[41:]}", id="with a lone surrogate"),
    ],
)
def test_signature_is_64_bytes_in_strict_base64(raw):
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, MESSAGE, raw, host=HOST)


@pytest.mark.parametrize("stray_bits", range(1, 16))
def test_stray_bits_before_the_padding_are_refused(stray_bits):
    last = BASE64.index(GOOD[-3])
    sloppy = GOOD[:-3] + BASE64[last + stray_bits] + "=="

    assert base64.b64decode(sloppy, validate=True) == SIGNATURE
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, MESSAGE, sloppy, host=HOST)


@given(st.text(st.characters()) | st.binary(min_size=60, max_size=68).map(encode))
def test_any_other_text_is_an_invalid_signature(raw):
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, MESSAGE, raw, host=HOST)


@pytest.mark.parametrize("times", [1, 8])
def test_second_signature_made_from_a_good_one_is_refused(times):
    """S + L verifies as well where S is not required to be reduced."""
    s = int.from_bytes(SIGNATURE[32:], "little") + times * GROUP_ORDER
    malleable = SIGNATURE[:32] + s.to_bytes(32, "little")

    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, MESSAGE, encode(malleable), host=HOST)


@pytest.mark.parametrize(
    "hex_key",
    [pytest.param(point, id=name) for name, point in SPECIAL_POINTS.items()],
)
def test_nobody_signs_for_a_key_of_small_order(hex_key):
    """With S = 0 and R of small order, whole classes of messages verify without any secret."""
    address = encode_address(hex_key)

    for r, message in itertools.product(SPECIAL_POINTS.values(), map(str, range(20))):
        with pytest.raises(ApiError, match=r"^invalid_signature$"):
            verify_signature(address, message, encode(bytes.fromhex(r) + bytes(32)), host=HOST)


def test_no_bit_of_a_signature_can_be_changed():
    for bit in range(512):
        changed = bytearray(SIGNATURE)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ApiError, match=r"^invalid_signature$"):
            verify_signature(ADDRESS, MESSAGE, encode(bytes(changed)), host=HOST)


@pytest.mark.parametrize(
    "hex_key",
    [
        pytest.param("02" + "00" * 31, id="y = 2"),
        pytest.param("ff" * 32, id="the greatest 32 bytes"),
    ],
)
@pytest.mark.parametrize("signature", [SIGNATURE, bytes(64)], ids=["another's", "zeros"])
def test_address_that_is_no_key_has_no_signatures(hex_key, signature):
    """Addresses of programs are off the curve: nobody holds a key for them."""
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(encode_address(hex_key), MESSAGE, encode(signature), host=HOST)
