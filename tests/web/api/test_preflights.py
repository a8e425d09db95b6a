"""OPTIONS (docs/api.md, Preflights): fixed headers, and the origin check of the tracking read."""

import pytest
from support.world import SITE

EVIL = "https://evil.example"
OWN = "http://localhost"  # how the test client addresses the service

PATHS = {
    "tracking": ("/tracking/{}", "GET, OPTIONS", "Authorization"),
    "nonce": ("/siws/nonce", "POST, OPTIONS", "Authorization, Content-Type"),
    "submissions": ("/submissions", "POST, OPTIONS", "Authorization, Content-Type"),
    "records' nonce": ("/wallet-records/nonce", "POST, OPTIONS", "Authorization, Content-Type"),
    "records": ("/wallet-records", "POST, OPTIONS", "Authorization, Content-Type"),
    "withdrawal": ("/wallet-records/withdraw", "POST, OPTIONS", "Authorization, Content-Type"),
    "refresh": ("/refresh", "POST, OPTIONS", "Authorization, Content-Type"),
    "session": ("/session/submissions", "GET, OPTIONS", "Authorization"),
}
every_path = pytest.mark.parametrize(("path", "methods", "headers"), PATHS.values(), ids=PATHS)
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
@every_path
def test_preflight_is_answered_with_fixed_headers(world, root, path, methods, headers):
    world.root = root

    answer = preflight(world, path)

    assert answer.status_code == 204
    assert answer.data == b""
    assert list_cors_headers(answer) == {
        "Access-Control-Allow-Origin": SITE,
        "Access-Control-Allow-Methods": methods,
        "Access-Control-Allow-Headers": headers,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }
    assert answer.headers["Vary"] == "Origin"
    assert "Set-Cookie" not in answer.headers
    assert "Content-Type" not in answer.headers


@every_path
def test_answer_does_not_depend_on_what_the_browser_asked_for(world, path, methods, headers):
    plain = preflight(world, path)

    asked = preflight(
        world,
        path,
        **{
            "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "X-Own, Authorization",
            "Access-Control-Request-Private-Network": "true",
        },
    )

    assert asked.status_code == 204
    assert list_cors_headers(asked) == list_cors_headers(plain)


@pytest.mark.parametrize("path", ["/siws/nonce", "/submissions", "/session/submissions"])
@pytest.mark.parametrize("origin", [EVIL, "null"])
def test_only_the_tracking_read_checks_the_origin(world, path, origin):
    answer = preflight(world, path, origin)

    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == origin


@every_path
def test_without_origin_no_origin_is_allowed(world, path, methods, headers):
    answer = preflight(world, path, None)

    assert "Access-Control-Allow-Origin" not in answer.headers


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
        ("", False),
        (None, False),
        ("not an origin", False),
        (OWN, True),
        (f"{OWN}:80", True),
        (f"{OWN}:8000", False),
    ],
)
def test_origin_has_to_be_listed_by_a_key_of_the_page(world, root, origin, is_allowed):
    world.root = root

    assert is_let_in(preflight(world, origin=origin)) is is_allowed


def test_any_public_key_of_the_page_may_list_the_origin(world):
    world.make_key("public", origins=[EVIL])

    assert is_let_in(preflight(world, origin=SITE))
    assert is_let_in(preflight(world, origin=EVIL))


def test_key_of_another_page_lists_nothing(world):
    other = world.make_page()
    world.make_key("public", page_id=other, origins=[EVIL])

    assert is_let_in(preflight(world, origin=EVIL, page_id=other))
    assert not is_let_in(preflight(world, origin=EVIL))
    assert not is_let_in(preflight(world, origin=SITE, page_id=other))


@pytest.mark.parametrize("origin", ["null", "", None])
def test_null_origin_needs_a_key_that_allows_it(world, origin):
    assert not is_let_in(preflight(world, origin=origin))

    key = world.make_key("public", allow_null_origin=True)
    assert is_let_in(preflight(world, origin=origin))
    assert not is_let_in(preflight(world, origin=EVIL))

    world.revoke(key)
    assert not is_let_in(preflight(world, origin=origin))


@pytest.mark.parametrize("page_id", ["unknown", "a" * 5000, "%00", "a%00b", "%ff", "%ed%a0%80"])
def test_unknown_page_has_no_key_that_lists_the_origin(world, page_id):
    assert not is_let_in(preflight(world, page_id=page_id))


@both_roots
@pytest.mark.parametrize("path", ["/nothing", "", "/submissions/", "/openapi.json"])
@pytest.mark.parametrize("asked", [None, "PUT"])
def test_site_that_asks_for_what_is_not_there_may_read_that(world, root, path, asked):
    """Browsers show scripts a 404 only if its preflight was let through."""
    world.root = root
    headers = {"Access-Control-Request-Method": asked, "Access-Control-Request-Headers": "X-Own"}

    answer = preflight(world, path, **headers)

    code = "method_not_allowed" if (root + path) == "/api/embed/openapi.json" else "not_found"
    refusal = (405 if code == "method_not_allowed" else 404, {"error": code})
    assert (answer.status_code, answer.json) == ((204, None) if asked else refusal)
    assert list_cors_headers(answer) == {
        "Access-Control-Allow-Origin": SITE,
        "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }
    assert answer.vary.to_header() == "Origin"
