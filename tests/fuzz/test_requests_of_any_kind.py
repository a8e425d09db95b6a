"""Requests to any path are answered without a failure and change nothing, whatever they hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import nearly, unicode_texts
from support.world import SITE

pytestmark = pytest.mark.slow

METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "get", "X")
FIELDS = ("trackingPageId", "walletAddress", "nickname", "nonceId", "signature")
PATHS = (
    "/api/embed/tracking/{page}",
    "/api/embed/siws/nonce",
    "/api/embed/submissions",
    "/api/embed/session/submissions",
    "/api/embed/openapi.json",
    "/embed/api/tracking/{page}",
    "/embed/api/submissions",
    "/embed/tracking/{page}",
    "/embed/tracking/{page}/qr.svg",
    "/embed/sign",
    "/embed.js",
    "/static/x/embed.js",
    "/dashboard/sign-in",
    "/dashboard/password/x.y.z",
    "/dashboard/pages/{page}/wallets",
    "/",
)
QUERIES = ("", "key={key}", "key={key}&wallet=phantom&lang=de", "trackingPageId={page}", "page=2")
HEADERS = {
    "Authorization": ("Bearer {key}", "bearer {secret}", "Basic eDp5"),
    "Origin": (SITE, "null", "http://localhost", "https://xn--1-4lb6abu.gr"),
    "Referer": (f"{SITE}/page?x#y", "http://localhost/embed/x"),
    "Sec-Fetch-Site": ("same-origin", "cross-site"),
    "Sec-Fetch-Dest": ("iframe", "document"),
    "Cookie": ("embed_session={cookie}", "embed_dashboard=e30.x.y; embed_session=a.b.c", "a=b"),
    "Content-Type": (
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ),
    "Accept-Language": ("de-AT,de;q=0.9,*;q=0.1", "x;q=nan"),
    "Accept-Encoding": ("gzip, br;q=0.5, *;q=0", "identity;q=x"),
    "X-Forwarded-For": ("198.51.100.7", "[2001:db8::1]:443", "fe80::1%eth0"),
    "X-Forwarded-Proto": ("https", "ftp"),
    "Host": ("localhost", "localhost:80", "evil.example"),
    "Range": ("bytes=0-1,5-",),
    "If-None-Match": ('W/"x"', "*"),
    "If-Modified-Since": ("Thu, 01 Jan 1970 00:00:00 GMT",),
    "Transfer-Encoding": ("chunked",),
    "Content-Encoding": ("gzip",),
    "X-HTTP-Method-Override": ("DELETE",),
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | unicode_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(unicode_texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(FIELDS), json_values | st.text(), max_size=5)
bodies = st.one_of(
    st.binary(max_size=200),
    objects.map(lambda value: json.dumps(value).encode()),
    json_values.map(lambda value: json.dumps(value).encode()),
    objects.map(
        lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ),
    st.just(b"[" * 2_000),
)


def fill(world, visitor, template: str) -> str:
    for name, value in (
        ("{page}", world.page_id),
        ("{key}", world.public_key),
        ("{secret}", world.secret_key),
        ("{cookie}", visitor.cookie),
    ):
        template = template.replace(name, value)
    return template


@given(
    method=st.sampled_from(METHODS) | st.text("AZaz-", min_size=1, max_size=8),
    path=nearly(*PATHS).map(lambda path: "/" + path.lstrip("/")),
    query=nearly(*QUERIES),
    headers=st.dictionaries(st.sampled_from(sorted(HEADERS)), st.none(), max_size=6).flatmap(
        lambda chosen: st.fixed_dictionaries({name: nearly(*HEADERS[name]) for name in chosen})
    ),
    body=bodies,
)
def test_no_request_fails_or_changes_anything(
    world, visitor, raw, method, path, query, headers, body
):
    filled = {name: fill(world, visitor, value) for name, value in headers.items()}
    before = world.dump()

    raw.send(
        method,
        fill(world, visitor, path),
        query=fill(world, visitor, query),
        headers=filled,
        body=body,
    )

    assert world.dump() == before
