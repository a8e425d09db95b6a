"""Pages are compressed, but those that show a secret, whose length would tell of it."""

import re

import brotli
import pytest
from routes import fill_in, list_routes
from support.owner_browser import PASSWORD, find_token

from embed.web.dashboard.blueprint import LOCAL_COOKIE

ACCEPTED = {"Accept-Encoding": "gzip, deflate, br"}
WEBHOOK = {
    "service": "webhook",
    "target": "https://hooks.example/a",
    "event_types": "submission.created",
}
REFERRER = "https://localhost/dashboard/account"


@pytest.mark.parametrize(
    ("referrer", "status"), [(REFERRER, 303), ("https://other.example/", 400), ("https://[", 400)]
)
def test_form_over_https_needs_the_referrer_of_this_host(owner, referrer, status):
    owner.client.set_cookie(LOCAL_COOKIE, "", path="/dashboard")
    there = {"base_url": "https://localhost", "headers": {"Referer": referrer}}
    token = find_token(owner.get("/dashboard/sign-in", **there).text)
    data = {"csrf_token": token, "email": owner.email, "password": PASSWORD}

    assert owner.client.post("/dashboard/sign-in", data=data, **there).status_code == status


def test_ordinary_pages_are_compressed(world, owner, things):
    paths = {fill_in(rule, things) for _, method, rule in list_routes(world.app) if method == "GET"}
    answers = [owner.get(path, headers=ACCEPTED) for path in sorted(paths)]
    pages = [each for each in answers if each.status_code == 200 and each.mimetype == "text/html"]

    assert len(pages) > 20
    for answer in pages:
        assert answer.headers["Content-Encoding"] == "br", answer.request.path
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert b"</html>" in brotli.decompress(answer.data)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("embed", {"site": "https://a.example"}),
        ("settings/keys/new/public", {"origins": "https://a.example"}),
        ("settings/keys/new/secret", {}),
        ("settings/notifications", WEBHOOK),
        ("settings/notifications/{receiver_id}/secret", {}),
    ],
)
def test_page_that_shows_a_secret_is_not_compressed(world, owner, things, path, fields):
    answer = owner.client.post(
        f"/dashboard/pages/{world.page_id}/{path.format(**things)}",
        data={"csrf_token": owner.token} | fields,
        headers=ACCEPTED,
    )

    assert answer.status_code == 201
    assert re.search("shown (again|only this once)", answer.text)
    assert "Content-Encoding" not in answer.headers
