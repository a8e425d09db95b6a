"""OPTIONS (docs/api.md, Preflights): fixed headers, and the origin check of the tracking read."""

import pytest
from support.world import SITE

EVIL = "https://evil.example"
OWN = "http://localhost"  # how the test client addresses the service
READS = ("GET, OPTIONS", "Authorization")
POSTS = ("POST, OPTIONS", "Authorization, Content-Type")
ODD = {
    "Access-Control-Request-Method": "DELETE",
    "Access-Control-Request-Headers": "X-Own, Authorization",
    "Access-Control-Request-Private-Network": "true",
}

both_roots = pytest.mark.parametrize("root", ["/api/embed", "/embed/api"])


def preflight(world, path="/tracking/{}", origin=SITE, *, page_id=None, **more):
    """Send a preflight as a browser does, without key and cookie."""
    headers = {"Authorization": None, "Origin": origin} | more
    return world.call(
        "OPTIONS", world.root + path.format(page_id or world.page_id), headers=headers
    )


def list_cors_headers(answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers if name.startswith("Access-Control-")}


@both_roots
@pytest.mark.parametrize("asked", [{}, ODD], ids=["plain", "odd"])
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/tracking/{}", READS),
        ("/siws/nonce", POSTS),
        ("/submissions", POSTS),
        ("/session/submissions", READS),
        ("/wallet-records/nonce", POSTS),
        ("/wallet-records", POSTS),
        ("/wallet-records/withdraw", POSTS),
        ("/refresh", POSTS),
    ],
)
def test_preflight_has_fixed_headers_whatever_it_asks_for(world, root, path, allowed, asked):
    world.root = root

    answer = preflight(world, path, **asked)

    assert (answer.status_code, answer.data) == (204, b"")
    assert list_cors_headers(answer) == {
        "Access-Control-Allow-Origin": SITE,
        "Access-Control-Allow-Methods": allowed[0],
        "Access-Control-Allow-Headers": allowed[1],
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }
    assert answer.headers["Vary"] == "Origin"
    assert not {"Set-Cookie", "Content-Type"} & set(answer.headers.keys())
    without_origin = preflight(world, path, None, **asked)
    assert "Access-Control-Allow-Origin" not in without_origin.headers


@pytest.mark.parametrize("path", ["/siws/nonce", "/submissions", "/session/submissions"])
def test_only_the_tracking_read_checks_the_origin(world, path):
    answers = {origin: preflight(world, path, origin) for origin in (EVIL, "null")}

    for origin, answer in answers.items():
        assert answer.status_code == 204
        assert answer.headers["Access-Control-Allow-Origin"] == origin


# The lightweight check of the tracking read


def is_let_in(answer) -> bool:
    if answer.status_code == 204:
        return True
    assert (answer.status_code, answer.json) == (403, {"error": "origin_not_allowed"})
    assert list_cors_headers(answer) == {}
    assert "Origin" in answer.vary
    return False


@both_roots
@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        (SITE, True),
        (EVIL, False),
        ("null", False),
        (None, False),
        (OWN, True),
        (f"{OWN}:8000", False),
    ],
)
def test_origin_has_to_be_listed_by_a_key_of_the_page(world, root, origin, is_allowed):
    world.root = root

    assert is_let_in(preflight(world, origin=origin)) is is_allowed


def test_any_public_key_of_the_page_and_of_no_other_may_list_the_origin(world):
    other = world.make_page()
    world.make_key("public", page_id=other, origins=[EVIL])
    assert is_let_in(preflight(world, origin=EVIL, page_id=other))
    assert not is_let_in(preflight(world, origin=EVIL))
    assert not is_let_in(preflight(world, origin=SITE, page_id=other))

    world.make_key("public", origins=[EVIL])

    assert is_let_in(preflight(world, origin=SITE))
    assert is_let_in(preflight(world, origin=EVIL))


@pytest.mark.parametrize("origin", ["null", "", None])
def test_null_origin_needs_a_key_that_allows_it(world, origin):
    assert not is_let_in(preflight(world, origin=origin))

    key = world.make_key("public", allow_null_origin=True)
    assert is_let_in(preflight(world, origin=origin))
    assert not is_let_in(preflight(world, origin=EVIL))

    world.revoke(key)
    assert not is_let_in(preflight(world, origin=origin))


@both_roots
def test_site_that_asks_for_what_is_not_there_may_read_that(world, root):
    """Browsers show scripts a 404 only if its preflight was let through."""
    world.root = root

    assert preflight(world, "/nothing").json == {"error": "not_found"}
    answer = preflight(world, "/nothing", **{"Access-Control-Request-Method": "PUT"})

    assert (answer.status_code, answer.data) == (204, b"")
    assert list_cors_headers(answer) == {
        "Access-Control-Allow-Origin": SITE,
        "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }
