import pytest

from embed.domain.identifiers import BASE62, make_id, make_token


def test_id_is_20_base62_characters():
    identifier = make_id()

    assert len(identifier) == 20
    assert set(identifier) <= set(BASE62)


@pytest.mark.parametrize("length", [0, 1, 32])
def test_token_has_the_length_that_was_asked_for(length):
    assert len(make_token(length)) == length


def test_every_base62_character_occurs():
    assert set(make_token(10_000)) == set(BASE62)
    assert len(BASE62) == 62


def test_no_two_ids_are_the_same():
    assert len({make_id() for _ in range(1000)}) == 1000
