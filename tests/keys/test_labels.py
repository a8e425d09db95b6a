"""Labels by which owners tell their keys apart."""

import pytest
from support.world import SITE

from embed.db.models import ApiKey
from embed.errors import InvalidInput
from embed.keys import management

pytestmark = pytest.mark.databases("sqlite", "postgres")


def make(world, raw_label):
    return management.create_key(world.page_id, "secret", world.change(), raw_label=raw_label)[0]


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("raw", "label"),
    [(None, None), ("", None), (" \t ", None), ("  Blog ", "Blog"), ("ü" * 64, "ü" * 64)],
)
def test_label_is_trimmed_and_may_be_missing(world, raw, label):
    key = make(world, raw)

    assert ApiKey.get_by_id(key.id).label == label


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("raw", ["x" * 65, "a\nb", "\ud800"])
def test_bad_label_makes_no_key(world, raw):
    before = world.dump()

    with pytest.raises(InvalidInput, match="label"):
        make(world, raw)
    assert world.dump() == before


def test_sites_for_a_secret_key_are_refused_and_its_label_stays(world):
    key = make(world, "Server")

    with pytest.raises(InvalidInput, match="no sites"):
        management.change_key(key.id, world.change(), raw_label="Other", raw_origins=[SITE])

    assert ApiKey.get_by_id(key.id).label == "Server"
