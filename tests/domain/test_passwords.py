"""Passwords: what may be one, how it is kept, and which are easy to guess."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from nacl import pwhash
from zxcvbn.matching import RANKED_DICTIONARIES

from embed.domain.concurrency import Busy
from embed.domain.passwords import (
    GUESSABLE,
    JUDGED_LENGTH,
    MAX_LENGTH,
    MIN_LENGTH,
    OWN_WORDS,
    find_weakness,
    hash_password,
    is_correct_password,
)
from embed.errors import InvalidInput


def test_password_is_kept_as_a_salted_argon2id_hash_that_costs_64_mib():
    hashes = {hash_password("a long password") for _ in range(2)}

    assert len(hashes) == 2
    assert {one.rpartition("p=1$")[0] for one in hashes} == {"$argon2id$v=19$m=65536,t=2,"}


def test_two_passwords_are_hashed_at_once_and_a_third_is_refused(monkeypatch):
    """Each takes 64 MiB while it lasts, and threads that waited for one would answer nobody."""
    kept, verify = hash_password("a long password"), pwhash.verify
    running, answered = threading.Barrier(3), threading.Event()

    def hang_and_verify(*arguments: bytes) -> None:
        running.wait(10)
        assert answered.wait(10)
        verify(*arguments)

    monkeypatch.setattr(pwhash, "verify", hang_and_verify)
    with ThreadPoolExecutor(2) as threads:
        two = [threads.submit(is_correct_password, "a long password", kept) for _ in range(2)]
        running.wait(10)
        with pytest.raises(Busy):
            is_correct_password("a long password", kept)
        with pytest.raises(Busy):
            hash_password("a long password")
        answered.set()
        assert [one.result(10) for one in two] == [True] * 2
    assert hash_password("a long password")


@pytest.mark.parametrize(
    "password",
    ["a" * MIN_LENGTH, " spaces  around \0 密码 e\u0301 "],
    ids=ascii,
)
def test_any_characters_make_a_password_and_none_is_changed(password):
    kept = hash_password(password)

    assert is_correct_password(password, kept)
    others = (
        password[:-1],
        password + password[-1],
        password.strip() + "x",
        password.upper() + "x",
    )
    assert not any(is_correct_password(other, kept) for other in others)


@pytest.mark.parametrize("length", [0, MIN_LENGTH - 1, MAX_LENGTH + 1])
def test_password_that_is_too_short_or_too_long_is_refused(length):
    with pytest.raises(InvalidInput, match="10 to 200"):
        hash_password("x" * length)


# How easy to guess

OWN_TEXTS = ["anna.moreau@example.com", "track.whales.example", "Blue Harbor Club", "鲸鱼俱乐部"]


@pytest.mark.parametrize(
    "password",
    [
        *("password123", "P@ssword1!", "international", "qwertyuiop[]", "abcabcabcabc"),
        *("abcdefghijkl", "12.03.1987"),
    ],
)
def test_password_that_is_easy_to_guess_is_found(password):
    assert find_weakness(password, []) == GUESSABLE


@pytest.mark.slow
def test_common_passwords_of_that_length_are_refused():
    common = [one for one in RANKED_DICTIONARIES["passwords"] if len(one) >= MIN_LENGTH]

    assert len(common) > 1000
    assert [one for one in common if find_weakness(one, []) is None] == []


@pytest.mark.parametrize(
    "password",
    ["x7Kp2vQz9m", "correct horse battery staple", "密码安全很重要的一句话", "x7Kp2vQz9m" * 20],
    ids=ascii,
)
def test_password_that_is_hard_to_guess_is_none_of_these(password):
    assert find_weakness(password, OWN_TEXTS) is None


@pytest.mark.parametrize(
    "password",
    [
        "Anna.Moreau@example.com",
        "m0r34u2024",
        "Blue Harbor Club!",
        "robrahwhales",  # backwards
        "鲸鱼俱乐部-2024",
    ],
)
def test_persons_own_words_are_easy_to_guess(password):
    assert find_weakness(password, OWN_TEXTS) == OWN_WORDS
    others = ["someone@elsewhere.org", "localhost", "USD Coin", "USDC"]
    assert find_weakness(password, others) != OWN_WORDS


@pytest.mark.parametrize("password", ["whale x7Kp2vQz9m", "correct horse club battery"])
def test_own_word_beside_enough_others_is_no_mistake(password):
    assert find_weakness(password, ["Whale Club"]) is None


def test_only_the_first_characters_are_judged():
    """The time that zxcvbn takes grows with more than the square of the length."""
    assert find_weakness("k" * JUDGED_LENGTH + "x7Kp2vQz9m", []) is not None


@pytest.mark.parametrize(
    "password",
    ["\u0130" * 10, "\u0130password\u0130", "\ud800" * 12, "\0" * 10, "١٢٣٤/١٢/١٢", "\n" * 12],
    ids=ascii,
)
def test_no_character_breaks_it(password):
    find_weakness(password, [password, "\u0130stanbul", "\ud800" * 5])
