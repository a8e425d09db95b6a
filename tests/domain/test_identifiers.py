import hashlib
import re

import pytest

from embed.domain.identifiers import (
    BASE62,
    hash_key,
    is_key,
    make_id,
    make_key,
    make_token,
    shorten_key,
)


def test_ids_and_tokens_are_made_of_all_base62_characters():
    assert re.fullmatch("[0-9A-Za-z]{20}", make_id())
    assert set(make_token(10_000)) == set(BASE62)
    assert len(BASE62) == 62


RANDOM_PART = "0123456789abcdefghijABCDEFGHIJXY"
KEY = f"svc_pub_{RANDOM_PART}"


@pytest.mark.parametrize(("tier", "prefix"), [("public", "svc_pub_"), ("secret", "svc_sec_")])
def test_key_is_the_prefix_of_its_tier_and_32_base62_characters(tier, prefix):
    key = make_key(tier)

    assert re.fullmatch(prefix + "[0-9A-Za-z]{32}", key)
    assert is_key(key)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(RANDOM_PART, id="no prefix"),
        pytest.param(f"svc_adm_{RANDOM_PART}", id="unknown prefix"),
        pytest.param(f"{KEY}A", id="one character long"),
        pytest.param(f"{KEY}\n", id="newline at the end"),
        pytest.param(f"{KEY[:-1]}\u0663", id="digit beyond ASCII"),
        pytest.param(f"{KEY[:-1]}\ud800", id="lone surrogate"),
    ],
)
def test_other_text_is_not_worth_looking_for(raw):
    assert not is_key(raw)


def test_hash_is_the_sha256_of_the_whole_key():
    assert hash_key(KEY) == hashlib.sha256(KEY.encode("ascii")).hexdigest()
    assert hash_key(f"svc_sec_{RANDOM_PART}") != hash_key(KEY)


def test_display_prefix_shows_the_tier_and_little_more():
    assert shorten_key(KEY) == "svc_pub_0123"
