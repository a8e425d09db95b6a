"""Bearer keys (docs/api.md, Keys): header, page scope and revocation."""

import pytest
from support.world import ENDPOINTS, SITE, Visitor, code_of

from embed.db.models import ApiKey

pytestmark = pytest.mark.deployed

every_endpoint = pytest.mark.parametrize("ask", ENDPOINTS.values(), ids=ENDPOINTS)
both_roots = pytest.mark.parametrize("root", ["/api/embed", "/embed/api"])


@both_roots
@every_endpoint
@pytest.mark.parametrize("key", ["public_key", "secret_key"])
def test_good_key_opens_every_endpoint(world, ask, root, key):
    world.root, key = root, getattr(world, key)
    if ask is ENDPOINTS["submissions"]:  # needs a nonce for the same key
        answer = world.post(world.draft(Visitor(), key=key), key=key)
    else:
        answer = ask(world, key=key)

    assert code_of(answer) is None


HEADERS = {
    "any case": ("bEaReR {key}", None),
    "none": (None, "missing_key"),
    "empty": ("", "missing_key"),
    "scheme alone": ("Bearer", "missing_key"),
    "two spaces": ("Bearer  {key}", "missing_key"),
    "space after": ("Bearer {key} ", "missing_key"),
    "no space": ("Bearer{key}", "missing_key"),
    "Basic": ("Basic {key}", "missing_key"),
    "quotes": ('Bearer "{key}"', "invalid_key"),
    "two headers": ("Bearer {key},Bearer {key}", "missing_key"),
    "cut": ("Bearer {key:.39}", "invalid_key"),
    "unknown public": ("Bearer svc_pub_00000000000000000000000000000000", "invalid_key"),
    "NUL": ("Bearer svc_pub_0000000000000000000000000000000\0", "invalid_key"),
    "Latin-1": ("Bearer svc_pub_0000000000000000000000000000000\xe9", "invalid_key"),
    "5,000 characters": ("Bearer svc_pub_" + "0" * 5000, "invalid_key"),
}


@pytest.mark.parametrize(("header", "code"), HEADERS.values(), ids=HEADERS)
@pytest.mark.in_process
def test_header_is_bearer_one_space_and_the_key(world, header, code):
    sent = None if header is None else header.format(key=world.public_key)

    assert code_of(world.read(headers={"Authorization": sent})) == code


@every_endpoint
@pytest.mark.parametrize("tier", ["public", "secret"])
def test_key_of_another_page_is_invalid(world, ask, tier):
    other = world.make_page()
    key = world.make_key(tier, page_id=other, origins=[SITE] if tier == "public" else [])

    assert code_of(ask(world, key=key)) == "invalid_key"
    assert code_of(world.read(other, key=key)) is None


def test_unknown_page_is_told_from_another_page_by_nobody(world):
    other = world.make_page()

    assert world.read(other).data == world.read("x" * 20).data


def test_nonce_does_not_outlive_its_key(world):
    draft = world.draft(Visitor())
    world.revoke(world.public_key)

    assert code_of(world.post(draft)) == "revoked_key"
    assert code_of(world.post(draft, key=world.secret_key)) == "nonce_binding_mismatch"


def test_key_in_the_address_is_not_read(world):
    answer = world.read(headers={"Authorization": None}, query_string={"key": world.public_key})

    assert code_of(answer) == "missing_key"


def test_only_a_hash_and_the_display_prefix_of_a_key_are_kept(world):
    rows = repr(world.dump())

    for key in (world.public_key, world.secret_key):
        assert key not in rows
        assert key[8:] not in rows
        assert ApiKey.select().where(ApiKey.display_prefix == key[:12]).exists()
