"""Other sites learn nothing about their visitors from the dashboard."""

import pytest
from routes import fill_in, list_routes
from support.owner_browser import OwnerBrowser

from embed.web.dashboard.blueprint import MAX_FORM_BYTES
from embed.web.dashboard.routes import ROUTES

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
    assert downloads == {name for name, route in ROUTES.items() if route.downloaded_from}


def test_failures_cut_the_tie_to_the_opener(world_with, monkeypatch):
    """See check_headers() in test_dashboard_contract.py for all other answers."""
    owner = OwnerBrowser(world_with(PUBLIC_URL="http://localhost"))
    account = "/dashboard/account"
    answers = {
        415: owner.client.post(account, data=b"{}", content_type="application/json"),
        413: owner.post(account, name="x" * MAX_FORM_BYTES),
        400: owner.client.get("/dashboard/sign-in", base_url="http://other.example"),
    }
    monkeypatch.setattr("embed.web.dashboard.account.render", None)
    answers[500] = owner.get(account)

    for status, answer in answers.items():
        assert answer.status_code == status
        assert answer.headers[OPENER_POLICY] == "same-origin"


def test_widget_and_signing_window_keep_their_opener(world):
    for path in ("/embed/sign", f"/embed/tracking/{world.page_id}?key={world.public_key}"):
        assert OPENER_POLICY not in world.client.get(path).headers
