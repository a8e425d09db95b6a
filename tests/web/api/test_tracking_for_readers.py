"""The tracking read at the widget's own address: an ETag, and 304 while nothing has changed."""

import html

import pytest
from support.world import Visitor, code_of

from embed.public_payload import get_payload


@pytest.fixture
def reader(world):
    """The world, read at the widget's own address."""
    world.root = "/embed/api"
    return world


def read_again(reader, etag: str, **how):
    headers = {"If-None-Match": etag} | how.pop("headers", {})
    return reader.read(headers=headers, **how)


# Nothing has changed


def test_reader_of_the_present_payload_gets_304_and_no_body(reader):
    reader.track(Visitor().address)
    first = reader.read()
    second = read_again(reader, first.headers["ETag"])

    assert (second.status_code, second.data) == (304, b"")
    assert second.headers["ETag"] == first.headers["ETag"]
    for answer in (first, second):
        assert set(answer.headers["Cache-Control"].split(", ")) == {"private", "no-cache"}
        assert set(answer.headers["Vary"].split(", ")) == {"Accept-Encoding", "Origin"}
    get_payload.cache_clear()  # as in another process
    assert read_again(reader, first.headers["ETag"]).status_code == 304
    reader.track(Visitor().address)
    third = read_again(reader, first.headers["ETag"])
    assert (third.status_code, len(third.json["wallets"])) == (200, 2)
    assert third.headers["ETag"] != first.headers["ETag"]


@pytest.mark.parametrize(
    ("write", "status"),
    [
        (lambda etag: etag, 304),
        (lambda etag: f'"other", {etag}', 304),
        (lambda etag: "*", 304),
        (lambda etag: "\udcff\udc00", 200),
    ],
)
def test_conditions_of_all_kinds(reader, write, status):
    present = reader.read()

    answer = read_again(reader, write(present.headers["ETag"]))

    assert answer.status_code == status
    assert answer.data == (present.data if status == 200 else b"")


def test_api_proper_has_the_headers_of_the_spec_only(world):
    world.read()
    answer = world.read(headers={"If-None-Match": "*"})

    assert answer.status_code == 200
    assert {"ETag", "Cache-Control"} & set(answer.headers.keys()) == set()
    assert answer.headers["Vary"] == "Origin"


# What is checked before


REFUSALS = {
    "revoked_key": lambda world: world.revoke_all_keys(),
    "embed_disabled": lambda world: world.configure(is_public=False),
    "not_found": lambda world: world.delete_page(),
}


@pytest.mark.parametrize("code", REFUSALS)
def test_page_or_key_that_was_closed_meanwhile_is_refused(reader, code):
    etag = reader.read().headers["ETag"]
    REFUSALS[code](reader)

    for condition in (etag, "*"):
        answer = read_again(reader, condition)
        assert code_of(answer) == code
        assert "ETag" not in answer.headers


# The document itself


def test_document_names_the_payload_that_it_shows(reader):
    reader.track(Visitor().address)
    path = f"/embed/tracking/{reader.page_id}"
    document = reader.client.get(path, query_string={"key": reader.public_key})
    etag = reader.read().headers["ETag"].removesuffix('"')

    assert f'data-etag="{html.escape(etag)}-' in document.text.replace("&#34;", "&quot;")
