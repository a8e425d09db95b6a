"""Keys, origins, nonces, signatures and cookies open no more when they are edited."""

import json
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import edits, nearly, unicode_texts
from support.world import SITE, Visitor

pytestmark = pytest.mark.slow


def read(world, raw, **headers: str):
    sent = {"Authorization": f"Bearer {world.public_key}", "Origin": SITE} | headers
    return raw.send("GET", f"/api/embed/tracking/{world.page_id}", headers=sent)


@given(edit=edits, is_public=st.booleans())
def test_edited_key_opens_nothing(world, raw, edit, is_public):
    header = edit(f"Bearer {world.public_key if is_public else world.secret_key}")

    answer = read(world, raw, Authorization=header)

    scheme, _, key = header.partition(" ")
    is_real = scheme.lower() == "bearer" and key in (world.public_key, world.secret_key)
    assert (answer.status_code == 200) is is_real


@given(origin=nearly(SITE, f"{SITE}:443", "http://localhost", "null"))
def test_edited_origin_is_the_listed_site_or_refused(world, raw, origin):
    answer = read(world, raw, Origin=origin, Referer=f"{SITE}/page")

    if answer.status_code != 200:
        assert answer.json["error"] == "origin_not_allowed"
    elif origin:  # an empty one is as good as none
        parts = urlsplit(origin)
        assert (parts.scheme.lower(), parts.hostname, parts.port) in {
            ("https", "site.example", None),
            ("https", "site.example", 443),
            ("http", "localhost", None),
            ("http", "localhost", 80),
        }
        assert parts.username is None


def strip_signature(signed: str) -> str:
    """Return what is signed: one signature can be written in several ways of base64."""
    return signed.rpartition(".")[0]


def post(world, raw, draft: dict):
    return raw.send(
        "POST",
        "/api/embed/submissions",
        headers={
            "Authorization": f"Bearer {world.public_key}",
            "Origin": SITE,
            "Content-Type": "application/json",
        },
        body=json.dumps(draft).encode(),
    )


@given(
    edit=edits | unicode_texts.map(lambda other: lambda _text: other),
    field=st.sampled_from(["trackingPageId", "walletAddress", "nonceId", "signature"]),
)
def test_edited_submission_stores_nothing_that_was_not_signed(world, raw, edit, field):
    visitor = Visitor()
    draft = world.draft(visitor)
    edited = draft | {field: edit(draft[field])}

    answer = post(world, raw, edited)

    if answer.status_code == 201:
        assert strip_signature(edited["nonceId"]) == strip_signature(draft["nonceId"])
        assert {**edited, "nonceId": ""} == {**draft, "nonceId": ""}
        assert post(world, raw, draft).json == {"error": "invalid_nonce"}
    else:
        assert post(world, raw, draft).status_code == 201


@given(edit=edits)
def test_edited_cookie_shows_the_session_it_was_made_for_or_none(world, visitor, raw, edit):
    own = world.list_own(visitor).json
    assert len(own["submissions"]) == 1
    cookie = edit(visitor.cookie)

    answer = raw.send(
        "GET",
        "/embed/api/session/submissions",
        query=f"trackingPageId={world.page_id}",
        headers={
            "Authorization": f"Bearer {world.secret_key}",
            "Cookie": f"embed_session={cookie}",
        },
    )

    assert answer.json in ({"submissions": []}, own)
    if answer.json == own:
        assert strip_signature(visitor.cookie) in cookie
