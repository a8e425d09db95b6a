"""Owners' passwords: what may be one, and how it is kept."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from nacl import pwhash

from embed.domain.passwords import MAX_LENGTH, MIN_LENGTH, hash_password, is_correct_password
from embed.errors import InvalidInput


def test_password_is_kept_as_a_salted_argon2id_hash_that_costs_64_mib():
    hashes = {hash_password("a long password") for _ in range(2)}

    assert len(hashes) == 2
    assert {one.rpartition("p=1$")[0] for one in hashes} == {"$argon2id$v=19$m=65536,t=2,"}


def test_one_password_is_hashed_at_a_time(monkeypatch):
    """Each takes 64 MiB while it lasts."""
    kept, verify = hash_password("a long password"), pwhash.verify
    running, most = [], []

    def count_and_verify(*arguments: bytes) -> None:
        running.append(1)
        most.append(len(running))
        verify(*arguments)
        running.pop()

    monkeypatch.setattr(pwhash, "verify", count_and_verify)
    with ThreadPoolExecutor(4) as threads:
        passwords = ["a long password"] * 4
        assert all(threads.map(is_correct_password, passwords, [kept] * 4))

    assert most == [1] * 4


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
