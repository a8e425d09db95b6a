"""Pages are compressed, so none may repeat a secret beside what others choose (BREACH)."""

import brotli
import pytest
from routes import fill_in, list_routes
from support.owner_browser import PASSWORD, find_token

from embed.web.dashboard import sessions

ACCEPTED = {"Accept-Encoding": "gzip, deflate, br"}
ACCOUNT = "/dashboard/account/language"
WEBHOOK = {"target": "https://hooks.example/a", "event_types": "submission.created"}
REFERRER = "https://localhost/dashboard/account"


def test_each_answer_has_a_token_of_its_own_and_all_are_accepted(owner):
    answers = [owner.get("/dashboard/account").text for _ in range(3)]
    tokens = {find_token(text) for text in answers}
    assert len(tokens) == 3

    for token in tokens:
        form = {"csrf_token": token, "language": "fr"}
        assert owner.client.post(ACCOUNT, data=form).status_code == 303


def test_no_page_holds_the_secret_that_the_tokens_are_made_with(world, owner):
    cookie = owner.client.get_cookie(sessions.LOCAL_NAME, path="/dashboard").value
    serializer = world.app.session_interface.get_signing_serializer(world.app)
    secret = serializer.loads(cookie)["csrf_token"]

    assert len(secret) > 30
    assert secret not in owner.get("/dashboard/account").text


@pytest.mark.parametrize("change", [lambda salt: salt[:-1], lambda salt: f"{salt}A", lambda _: ""])
def test_signature_holds_for_its_own_salt_only(owner, change):
    salt, _, signature = owner.token.partition(".")
    form = {"csrf_token": f"{change(salt)}.{signature}", "language": "fr"}

    assert owner.client.post(ACCOUNT, data=form).status_code == 400


@pytest.mark.parametrize(
    ("referrer", "status"),
    [
        (REFERRER, 303),
        (None, 400),
        ("http://localhost/dashboard/account", 400),
        ("https://localhost.example/", 400),
        ("https://other.example/?https://localhost/", 400),
    ],
)
def test_form_over_https_needs_the_referrer_of_this_host(owner, referrer, status):
    owner.client.set_cookie(sessions.LOCAL_NAME, "", path="/dashboard")
    arguments = {"base_url": "https://localhost"}
    token = find_token(owner.get("/dashboard/sign-in", **arguments).text)
    headers = {"Referer": referrer} if referrer else {}

    answer = owner.client.post(
        "/dashboard/sign-in",
        data={"csrf_token": token, "email": owner.email, "password": PASSWORD},
        headers=headers,
        **arguments,
    )

    assert answer.status_code == status


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
        ("keys/new/public", {"origins": "https://a.example"}),
        ("keys/new/secret", {}),
        ("notifications/webhooks/new", WEBHOOK),
        ("notifications/{receiver_id}/secret", {}),
    ],
)
def test_page_that_shows_a_secret_is_not_compressed(world, owner, things, path, fields):
    answer = owner.client.post(
        f"/dashboard/pages/{world.page_id}/{path.format(**things)}",
        data={"csrf_token": owner.token} | fields,
        headers=ACCEPTED,
    )

    assert answer.status_code == 201
    assert "shown again" in answer.text
    assert "Content-Encoding" not in answer.headers
