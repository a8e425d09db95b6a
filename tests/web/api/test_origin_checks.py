"""Origins of public keys (docs/api.md, Origins): allowlist, Referer, null, the service's own."""

import pytest
from support.world import ENDPOINTS, SITE, Visitor, code_of

from embed.keys import access, management

EVIL = "https://evil.example"
OWN = "http://localhost"  # how the test client addresses the service

every_endpoint = pytest.mark.parametrize("ask", ENDPOINTS.values(), ids=ENDPOINTS)


@every_endpoint
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Origin": SITE}, None),
        ({"Origin": EVIL}, "origin_not_allowed"),
        ({"Origin": "null"}, "origin_not_allowed"),
        ({"Origin": None}, "missing_origin"),
        ({"Origin": ""}, "missing_origin"),
        ({"Origin": None, "Referer": f"{SITE}/page?x=1"}, None),
        ({"Origin": None, "Referer": f"{EVIL}/page"}, "origin_not_allowed"),
    ],
    ids=["listed", "not listed", "null", "none", "empty", "Referer", "other Referer"],
)
def test_every_endpoint_asks_public_keys_for_their_origin(world, ask, headers, code):
    assert code_of(ask(world, headers=headers)) == code


def test_changed_allowlist_decides_on_the_next_request(world):
    key_id = access.find_access(world.public_key).key_id
    null = {"Origin": "null"}
    codes = []

    for origins, allows_null in (([SITE], False), ([EVIL], True), ([], False), ([SITE], True)):
        how = {"raw_origins": origins, "allow_null_origin": allows_null}
        management.change_key(key_id, world.change(), raw_label=None, **how)
        codes.append((code_of(world.read()), code_of(world.read(headers=null))))

    refused = "origin_not_allowed"
    assert codes == [(None, refused), (refused, None), (refused, refused), (None, None)]


@pytest.mark.parametrize("origin", [EVIL, "null", None])
def test_secret_key_works_from_anywhere(world, origin):
    how = {"key": world.secret_key, "headers": {"Origin": origin}}
    draft = world.draft(Visitor(), key=world.secret_key)

    answers = [world.read(**how), world.list_own(Visitor(), **how), world.post(draft, **how)]

    assert [code_of(one) for one in answers] == [None] * 3


# The service's own pages


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Origin": OWN}, None),
        ({"Origin": f"{OWN}:8000"}, "origin_not_allowed"),
        ({"Host": "127.0.0.1:8000", "Origin": "http://localhost:8000"}, "origin_not_allowed"),
        ({"Origin": None, "Sec-Fetch-Site": "same-origin"}, None),
        ({"Origin": None, "Sec-Fetch-Site": "cross-site"}, "missing_origin"),
    ],
    ids=str,
)
def test_the_widgets_own_calls_are_trusted(world, headers, code):
    world.root = "/embed/api"

    assert code_of(world.read(headers=headers)) == code


@pytest.mark.parametrize(
    ("proxies", "origin", "is_own"),
    [
        ("0", "https://localhost", False),
        ("1", "https://localhost", True),
        ("1", "http://localhost", False),
        ("1", "https://evil.example", False),
    ],
)
def test_scheme_is_believed_from_trusted_proxies_and_host_of_none(
    world_with, proxies, origin, is_own
):
    world = world_with(TRUSTED_PROXIES=proxies)

    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    answer = world.read(headers={"Origin": origin} | forwarded)

    assert code_of(answer) == (None if is_own else "origin_not_allowed")


PUBLIC = "https://embed.example"


@pytest.mark.parametrize(
    ("public_url", "host", "origin", "code"),
    [
        (PUBLIC, "embed.example", PUBLIC, None),
        (PUBLIC, "embed.example", "http://embed.example", "origin_not_allowed"),
        (f"{PUBLIC}:8443", "embed.example:8443", PUBLIC, "origin_not_allowed"),
        ("https://bücher.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example", None),
    ],
)
def test_public_url_is_the_own_origin(world_with, public_url, host, origin, code):
    world = world_with(PUBLIC_URL=public_url)

    assert code_of(world.read(headers={"Host": host, "Origin": origin})) == code


@pytest.mark.parametrize("host", ["embed.example.evil.example", ""])
@every_endpoint
def test_no_other_name_passes_for_the_public_one(world_with, ask, host):
    world = world_with(PUBLIC_URL=PUBLIC)
    # What a page would send under another name for this server.
    headers = {"Host": host, "Origin": None, "Sec-Fetch-Site": "same-origin"}

    if ask is ENDPOINTS["submissions"]:
        answer = world.post({}, headers=headers)
    else:
        answer = ask(world, headers=headers)

    assert code_of(answer) == "invalid_host"


@pytest.mark.parametrize("host", ["a b", "a:99999", ""])
def test_host_that_cannot_be_one_is_refused_where_it_matters(world, host):
    assert code_of(world.ask_nonce(Visitor(), headers={"Host": host})) == "invalid_host"
    answer = world.read(headers={"Host": host, "Origin": EVIL})
    assert code_of(answer) == "invalid_host"
