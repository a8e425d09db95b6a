"""Rules for all endpoints: the form of errors, authentication, CORS, no cookies."""

import re

import pytest
from support.apps import Apps
from support.world import SECRET_KEY, SITE, Visitor, code_of, with_session

from embed import errors
from embed.balances.known import BalanceSource
from embed.db import connection
from embed.factory import create_app
from embed.settings import PROJECT_DIR, Settings

EVIL = "https://evil.example"
# The one route that needs no key; it has no preflight and no second address either.
OPENAPI_DOCUMENT = "/api/embed/openapi.json"
both_roots = pytest.mark.parametrize("root", ["/api/embed", "/embed/api"])


@pytest.fixture
def apps() -> Apps:
    return Apps()


# docs/api.md, Errors; which endpoint has which is in refusal_cases.py.
PROMISED = {
    400: "invalid_json missing_fields invalid_wallet_address invalid_nickname_length "
    "invalid_nickname_chars invalid_nonce nonce_binding_mismatch missing_tracking_page_id",
    401: "missing_key invalid_key revoked_key missing_origin invalid_signature",
    403: "origin_not_allowed embed_disabled",
    404: "not_found page_not_found",
    409: "duplicate",
    422: "ca_gate_failed",
    429: "cooldown_active queue_full rate_limit_key rate_limit_ip rate_limit_session",
}


def test_table_of_errors_has_what_callers_were_promised():
    promised = {code: status for status, codes in PROMISED.items() for code in codes.split()}
    assert promised == errors.SPEC_STATUS_BY_CODE


# Every route of the API, including future ones


def list_api_routes(app) -> list[tuple[str, str, set[str]]]:
    """Return (rule, an address that it matches, methods) of each."""
    return [
        (rule.rule, re.sub(r"<[^>]+>", "x", rule.rule), rule.methods)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(("/api", "/embed/api")) and rule.rule != OPENAPI_DOCUMENT
    ]


def test_api_reference_names_every_route(app):
    text = (PROJECT_DIR / "docs/api.md").read_text()
    named = set(re.findall(r"^\| `([A-Z]+)` \| `(\S+)` \|", text, re.MULTILINE))
    routes = {
        (method, rule.replace("<page_id>", "{trackingPageId}").replace("<address>", "{address}"))
        for rule, _, methods in list_api_routes(app)
        for method in methods & {"GET", "POST"}
        if rule.startswith("/api/")
    }

    assert named == routes | {("GET", OPENAPI_DOCUMENT)}


def test_every_route_is_closed_without_a_key(world):
    routes = list_api_routes(world.app)
    assert len(routes) >= 18

    answers = {
        (method, rule): world.call(method, path, headers={"Authorization": None})
        for rule, path, methods in routes
        for method in methods - {"OPTIONS"}
    }
    statuses = {where: answer.status_code for where, answer in answers.items()}
    assert {where for where, status in statuses.items() if status != 401} == set()
    codes = {where: code_of(answer) for where, answer in answers.items() if where[0] != "HEAD"}
    assert {where for where, code in codes.items() if code != "missing_key"} == set()


def test_every_route_is_at_both_addresses_and_has_a_preflight(world):
    methods = {rule: methods for rule, _, methods in list_api_routes(world.app)}

    own = {rule.removeprefix("/embed/api") for rule in methods if rule.startswith("/embed/api")}
    public = {rule.removeprefix("/api/embed") for rule in methods if rule.startswith("/api/embed")}
    assert own == public
    assert all("OPTIONS" in each for each in methods.values())


# Every kind of answer


def refuse_at_limit(world):
    visitor = with_session(world)
    for _ in range(20):
        world.ask_nonce(visitor)
    return world.ask_nonce(visitor)


def fail(world):
    blueprint = "api" if world.root == "/api/embed" else "own_api"
    world.app.add_url_rule(
        f"{world.root}/failing", f"{blueprint}.failing", view_func=raise_something
    )
    return world.call("GET", f"{world.root}/failing")


def raise_something():
    raise RuntimeError("the password is swordfish")


ANSWERS = {
    "page": (lambda world: world.read(), 200),
    "submission": (lambda world: world.submit(Visitor()), 201),
    "invalid_json": (lambda world: world.call("POST", f"{world.root}/submissions", data="x"), 400),
    "missing_key": (lambda world: world.read(headers={"Authorization": None}), 401),
    "missing_origin": (lambda world: world.read(headers={"Origin": None}), 401),
    "origin_not_allowed": (lambda world: world.read(headers={"Origin": EVIL}), 403),
    "unknown path": (lambda world: world.call("GET", f"{world.root}/nothing"), 404),
    "method_not_allowed": (lambda world: world.call("PUT", f"{world.root}/submissions"), 405),
    "rate_limit_session": (refuse_at_limit, 429),
    "internal_error": (fail, 500),
}


@both_roots
@pytest.mark.parametrize(("provoke", "status"), ANSWERS.values(), ids=ANSWERS)
def test_every_answer_is_json_that_its_origin_may_read_and_sets_no_cookie(
    world, root, provoke, status
):
    world.root = root

    answer = provoke(world)

    assert answer.status_code == status
    assert (code_of(answer) is None) == (status < 400)
    assert answer.content_type == "application/json"
    assert "Set-Cookie" not in answer.headers
    assert "Origin" in answer.vary
    asked_by = answer.request.headers.get("Origin")
    assert answer.headers.get("Access-Control-Allow-Origin") == asked_by
    if asked_by is not None:
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        assert answer.headers["Access-Control-Expose-Headers"] == "Retry-After, X-Request-Id"


# Paths and methods


@pytest.mark.parametrize(
    "path",
    [
        "/api/embed//siws/nonce",
        "/api/embed/" + "x" * 5000,
        "/API/embed/submissions",
    ],
)
def test_unknown_path_is_not_found(world, path):
    codes = {method: code_of(world.call(method, path)) for method in ("GET", "POST", "DELETE")}

    assert codes == dict.fromkeys(codes, "not_found")


@both_roots
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/tracking/x", {"GET", "HEAD", "OPTIONS"}),
        ("/submissions", {"POST", "OPTIONS"}),
    ],
)
def test_wrong_method_is_told_the_right_ones(world, root, path, allowed):
    wrong = {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} - allowed

    answers = {method: world.call(method, root + path) for method in wrong}

    codes = {method: code_of(answer) for method, answer in answers.items()}
    assert codes == dict.fromkeys(wrong, "method_not_allowed")
    told = {method: set(answer.headers["Allow"].split(", ")) for method, answer in answers.items()}
    assert told == dict.fromkeys(wrong, allowed)


# Failures


class FailingBalances(BalanceSource):
    def get_balance(self, page, address):
        raise RuntimeError("the password is swordfish")


@pytest.mark.parametrize("balances", [FailingBalances(uses_chain=False)])
def test_bug_is_told_to_the_log_and_neither_to_the_caller_nor_leaves_anything(world, caplog):
    visitor = with_session(world)
    world.configure(min_balance=1)
    draft = world.draft(visitor)
    before = world.dump()

    answer = world.post(draft, cookie=visitor.cookie)

    assert code_of(answer) == "internal_error"
    assert "swordfish" not in answer.text + str(answer.headers)
    assert "swordfish" in caplog.text
    assert world.dump() == before
    world.configure(min_balance=0)
    assert code_of(world.post(draft, cookie=visitor.cookie)) is None


def test_bug_outside_the_api_is_told_to_people_as_a_page(world):
    world.app.add_url_rule("/failing", view_func=raise_something)

    answer = world.client.get("/failing")

    assert (answer.status_code, answer.mimetype) == (500, "text/html")
    assert "swordfish" not in answer.text


@pytest.fixture(params=["sqlite", "postgres"])
def app_without_database(request, tmp_path):
    """A service whose database cannot be reached."""
    url = {
        "sqlite": f"sqlite:///{tmp_path}",  # a folder
        "postgres": f"postgresql://embed@/embed?host={tmp_path}",  # no server listens there
    }[request.param]
    environ = {"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY}
    yield create_app(Settings.from_environ(environ))
    connection.db.close()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/embed/tracking/x"),
        ("POST", "/embed/api/submissions"),
        ("OPTIONS", f"/api/embed/tracking/{'x' * 20}"),
    ],
)
def test_database_that_is_away_is_unavailable_for_a_while(app_without_database, method, path):
    headers = {"Authorization": f"Bearer svc_pub_{'0' * 32}", "Origin": SITE}

    answer = app_without_database.test_client().open(path, method=method, headers=headers)

    assert code_of(answer) == "unavailable"
    assert answer.json == {"error": "unavailable"}


def test_widget_says_so_to_people_when_the_database_is_away(app_without_database):
    path = f"/embed/tracking/x?key=svc_pub_{'0' * 32}"

    answer = app_without_database.test_client().get(path)

    assert (answer.status_code, answer.mimetype) == (503, "text/html")
    assert int(answer.headers["Retry-After"]) > 0
    assert "Set-Cookie" not in answer.headers
