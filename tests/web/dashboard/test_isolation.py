"""Other sites learn nothing about their visitors from the dashboard."""

import pytest
from routes import fill_in, list_routes

from embed.web.dashboard.blueprint import DOWNLOADS, MAX_FORM_BYTES

pytestmark = pytest.mark.slow

LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
OPENER_POLICY = "Cross-Origin-Opener-Policy"
ELSEWHERE = ["cross-site", "same-site"]


def summarise(answer) -> tuple:
    # An owner's session is renewed by headers that browsers show to no other site, and each answer
    # has an id of its own.
    hidden = ("Set-Cookie", "Vary", "X-Request-Id")
    visible = {name: value for name, value in answer.headers if name not in hidden}
    return answer.status_code, answer.data, visible


@pytest.mark.parametrize("site", ELSEWHERE)
@pytest.mark.parametrize(
    "fetch",
    [
        pytest.param({"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, id="image"),
        pytest.param({"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, id="fetch"),
        pytest.param({"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, id="frame"),
        pytest.param({}, id="nothing more said"),
    ],
)
def test_what_another_site_loads_is_refused_alike_to_everybody(
    world, things, owner, stranger, site, fetch
):
    clients = (owner.client, stranger.client, world.app.test_client())
    headers = {"Sec-Fetch-Site": site} | fetch

    for _, method, rule in list_routes(world.app):
        path = fill_in(rule, things)
        answers = [client.open(path, method=method, headers=headers) for client in clients]
        assert answers[0].status_code == 403, rule
        assert summarise(answers[0]) == summarise(answers[1]) == summarise(answers[2]), rule


@pytest.mark.parametrize("site", ELSEWHERE)
def test_form_of_another_site_is_refused(owner, site):
    answer = owner.client.post("/dashboard/sign-out", headers={"Sec-Fetch-Site": site} | LINK)

    assert answer.status_code == 403
    assert owner.get("/dashboard/").status_code == 200


@pytest.mark.parametrize("site", [*ELSEWHERE, "same-origin", "none"])
def test_owner_can_follow_a_link_from_anywhere_but_not_to_a_download(world, things, owner, site):
    downloads = set()
    for endpoint, method, rule in list_routes(world.app):
        if method != "GET":
            continue
        path = fill_in(rule, things)
        answer = owner.get(path, headers={"Sec-Fetch-Site": site} | LINK)
        if "Content-Disposition" in owner.get(path).headers:
            downloads.add(endpoint)
            assert answer.status_code == (403 if site in ELSEWHERE else 200)
        else:
            assert answer.status_code != 403, rule
    assert downloads == set(DOWNLOADS)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/dashboard", 308),
        ("/dashboard/", 302),
        ("/dashboard/sign-in", 200),
        ("/dashboard/password/x", 404),
        ("/dashboard/nothing", 404),
        ("/dashboard/pages/nothing/queue", 302),
    ],
)
def test_answers_to_somebody_signed_out_cut_the_tie_to_the_opener(world, path, status):
    answer = world.app.test_client().get(path)

    assert answer.status_code == status
    assert answer.headers[OPENER_POLICY] == "same-origin"


@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        pytest.param({"data": {"csrf_token": "wrong"}}, 400, id="forged"),
        pytest.param({"data": b"{}", "content_type": "application/json"}, 415, id="no form"),
        pytest.param({"data": {"name": "x" * MAX_FORM_BYTES}}, 413, id="too large"),
    ],
)
def test_refused_forms_cut_the_tie_to_the_opener(owner, request_of, status):
    answer = owner.client.post("/dashboard/account", **request_of)

    assert answer.status_code == status
    assert answer.headers[OPENER_POLICY] == "same-origin"


def test_failure_cuts_the_tie_to_the_opener(owner, monkeypatch):
    monkeypatch.setattr("embed.web.dashboard.account.render", None)

    answer = owner.get("/dashboard/account")

    assert answer.status_code == 500
    assert answer.headers[OPENER_POLICY] == "same-origin"


def test_wrong_host_cuts_the_tie_to_the_opener(world_with):
    world = world_with(PUBLIC_URL="https://embed.example")

    answer = world.app.test_client().get("/dashboard/sign-in", base_url="https://other.example")

    assert answer.status_code == 400
    assert answer.headers[OPENER_POLICY] == "same-origin"


def test_widget_and_signing_window_keep_their_opener(world):
    for path in ("/embed/sign", f"/embed/tracking/{world.page_id}?key={world.public_key}"):
        assert OPENER_POLICY not in world.client.get(path).headers
