"""Bad input: each gets its own 4xx, never a 500, and does not change the database.

What makes an address, a nickname, a nonce or a signature a bad one is the matter of tests/domain,
which has all the cases. Here are those that HTTP, JSON or a database could trip over.
"""

import itertools

import pytest
from support.remote import make_environ
from support.world import SITE, Clock, World, code_of, with_session

from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings

NONCE = "/api/embed/siws/nonce"
SUBMISSIONS = "/api/embed/submissions"
SESSION = "/api/embed/session/submissions"
RECORDS = "/api/embed/wallet-records"
NONCE_FIELDS = ("trackingPageId", "walletAddress")
FIELDS = (*NONCE_FIELDS, "nickname", "nonceId", "signature")


@pytest.fixture(scope="module")
def world(shared_database_url):
    """One world for all tests, since each checks that it leaves it unchanged."""
    clock, settings = Clock(), Settings.from_environ(make_environ(shared_database_url))
    yield World(create_app(settings, clock=clock), clock)
    connection.db.close()


@pytest.fixture
def visitor(world):
    """A new visitor with a session, where a stored submission would be found."""
    return with_session(world)


@pytest.fixture
def draft(world, visitor):
    return world.draft(visitor)


@pytest.fixture
def records(world, visitor):
    return world.sign_for_records(visitor, "show")


def check_refusal(world, code: str, *request, **arguments) -> None:
    """Check that a request gets its code and changes no table."""
    before = world.dump()

    answer = world.call(*request, **arguments)

    assert code_of(answer) == code
    assert world.dump() == before


def check_draft(world, visitor, code: str, endpoint: str, draft: dict) -> None:
    names = NONCE_FIELDS if endpoint == NONCE else FIELDS
    body = {name: draft[name] for name in names if name in draft}
    check_refusal(world, code, "POST", endpoint, json=body, cookie=visitor.cookie)


# Whole bodies: (data, content type, code)

JSON = "application/json"
BODIES = {
    "nothing": (b"", JSON, "invalid_json"),
    "NaN": (b'{"trackingPageId": NaN}', JSON, "invalid_json"),
    "UTF-16 as it says": ("{}".encode("utf-16"), f"{JSON}; charset=utf-16", "invalid_json"),
    "arrays 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, JSON, "invalid_json"),
    "17 KB": (b'{"nickname": "' + b"a" * 17_000 + b'"}', JSON, "invalid_json"),
    "form": (b"trackingPageId=x", "application/x-www-form-urlencoded", "invalid_json"),
    "no content type": (b"{}", None, "invalid_json"),
    "array": (b"[]", JSON, "missing_fields"),
    "huge number": (b"1e999", JSON, "missing_fields"),
}

MISSING = object()
NO_TEXT = {"missing": MISSING, "null": None, "number": 1, "array": ["x"], "object": {"x": "x"}}

# Values that are invalid in every field

OPAQUE = {
    "empty": "",
    "NUL": "\0",
    "lone surrogate": "\ud800",
    "5,000 characters": "x" * 5000,
    "SQL": "' OR 1=1 --",
}


@pytest.mark.parametrize("endpoint", [NONCE, SUBMISSIONS], ids=["nonce", "submissions"])
@pytest.mark.parametrize(("data", "content_type", "code"), BODIES.values(), ids=BODIES)
def test_body_that_is_no_object_of_fields_is_refused(
    world, visitor, endpoint, data, content_type, code
):
    headers = {"Content-Type": content_type}
    check_refusal(world, code, "POST", endpoint, data=data, headers=headers, cookie=visitor.cookie)


@pytest.mark.parametrize(
    ("endpoint", "field"),
    [*itertools.product([NONCE], NONCE_FIELDS), *itertools.product([SUBMISSIONS], FIELDS)],
    ids=[f"nonce-{name}" for name in NONCE_FIELDS] + [f"submissions-{name}" for name in FIELDS],
)
@pytest.mark.parametrize("value", NO_TEXT.values(), ids=NO_TEXT)
def test_field_that_is_missing_or_no_text_is_refused(world, visitor, draft, endpoint, field, value):
    body = {name: one for name, one in (draft | {field: value}).items() if one is not MISSING}
    check_draft(world, visitor, "missing_fields", endpoint, body)


@pytest.mark.parametrize(
    ("endpoint", "field", "code"),
    [
        (SUBMISSIONS, "trackingPageId", "invalid_key"),
        (SUBMISSIONS, "walletAddress", "invalid_wallet_address"),
        (SUBMISSIONS, "nonceId", "invalid_nonce"),
        (SUBMISSIONS, "signature", "invalid_signature"),
        (RECORDS, "nonceId", "invalid_nonce"),
        (RECORDS, "signature", "invalid_signature"),
    ],
)
@pytest.mark.parametrize("value", OPAQUE.values(), ids=OPAQUE)
def test_value_that_is_none_is_refused(
    world, visitor, draft, records, endpoint, field, code, value
):
    body = (records if endpoint == RECORDS else draft) | {field: value}
    check_draft(world, visitor, code, endpoint, body)


@pytest.mark.parametrize(
    ("nickname", "code"),
    [("x" * 5000, "invalid_nickname_length"), ("ann\ud800", "invalid_nickname_chars")],
    ids=["5,000 characters", "lone surrogate"],
)
def test_nickname_that_is_none_is_refused(world, visitor, draft, nickname, code):
    draft["nickname"] = nickname
    check_draft(world, visitor, code, SUBMISSIONS, draft)


# Outside the body

PAGE_IDS = {
    "NUL": "%00",
    "lone surrogate": "%ed%a0%80",
    "5,000 characters": "x" * 5000,
}


@pytest.mark.parametrize("page_id", PAGE_IDS.values(), ids=PAGE_IDS)
def test_page_in_the_address_that_is_none_is_refused(world, visitor, page_id):
    tracking = f"/api/embed/tracking/{page_id}"
    check_refusal(world, "invalid_key", "GET", tracking)
    check_refusal(world, "origin_not_allowed", "OPTIONS", tracking)
    query = f"trackingPageId={page_id}"
    check_refusal(world, "invalid_key", "GET", SESSION, query_string=query, cookie=visitor.cookie)


@pytest.mark.parametrize("query", ["", "trackingPageId=", "x=%ff"])
def test_query_without_a_page_is_refused(world, visitor, query):
    code = "missing_tracking_page_id"
    check_refusal(world, code, "GET", SESSION, query_string=query, cookie=visitor.cookie)


ORIGINS = {
    "two values": "https://site.example, https://site.example",
    "NUL after": "https://site.example\0",
    "Latin-1": "https://s\xeete.example",
}


@pytest.mark.parametrize("origin", ORIGINS.values(), ids=ORIGINS)
def test_origin_that_is_none_is_refused_everywhere(world, draft, origin):
    code, headers = "origin_not_allowed", {"Origin": origin}
    tracking = f"/api/embed/tracking/{world.page_id}"
    check_refusal(world, code, "GET", tracking, headers=headers)
    check_refusal(world, code, "GET", tracking, headers={"Origin": None, "Referer": origin})
    check_refusal(world, code, "OPTIONS", tracking, headers=headers)
    check_refusal(world, code, "POST", NONCE, json=draft, headers=headers)


def test_good_request_of_this_file_would_have_been_taken(world, visitor, draft):
    assert code_of(world.ask_nonce(visitor)) is None
    assert code_of(world.read(headers={"Origin": SITE})) is None
    assert code_of(world.post(draft, cookie=visitor.cookie)) is None
