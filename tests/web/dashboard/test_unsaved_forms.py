"""Forms that are sent after their session has ended: not saved, but shown again."""

import html
import re

import pytest
from guest import HOME, SIGN_IN, Guest
from routes import fill_in, list_routes
from support.owner_browser import PASSWORD, find_token

from embed.db.models import Wallet
from embed.people import passwords, sessions
from embed.web.dashboard import unsaved
from embed.web.dashboard.routes import ROUTES

pytestmark = pytest.mark.slow

LATE = "You're signed out, so nothing was saved."
AGAIN, NOT_YET = "what you typed is shown again", "What you typed isn't saved yet."
FROM_HERE = {"Sec-Fetch-Site": "same-origin"}
NEW = "another long password"
TYPED = {"address": "not an address yet", "alias": 'Ünser "Tresor" <b>', "is_hidden": "y"}


@pytest.fixture
def path(world, owner) -> str:
    """A form's address, for which the token of the owner's session is known."""
    assert owner.token
    return f"/dashboard/pages/{world.page_id}/wallets/new"


def send(browser, path: str, headers=FROM_HERE, **fields):
    sent = {"csrf_token": browser.token} | fields
    return browser.client.post(path, data=sent, headers=headers)


def read(answer) -> str:
    return html.unescape(answer.text)


def find_kept(answer) -> str | None:
    found = re.search(r'name="unsaved" value="([^"]+)"', answer.text)
    return found and found[1]


def post_on(client, path: str, sent: dict):
    """Send a form, and follow the answer's redirects as browsers do: 307 sends it again."""
    answer = client.post(path, data=sent, headers=FROM_HERE)
    while answer.status_code == 307:
        answer = client.post(answer.location, data=sent, headers=FROM_HERE)
    return client.get(answer.location) if answer.status_code == 303 else answer


def sign_in(client, late, **fields):
    """Send the form of the page that asks to sign in."""
    action = html.unescape(re.search(r'action="([^"]*)" novalidate', late.text)[1])
    sent = {"csrf_token": find_token(late.text), "email": "owner@example.com", "password": PASSWORD}
    kept = {"unsaved": find_kept(late)} if find_kept(late) else {}
    return post_on(client, action, sent | kept | fields)


def sign_out(owner) -> None:
    owner.client.post("/dashboard/sign-out", data={"csrf_token": owner.token})


def end_elsewhere(owner) -> None:
    sessions.end_all(owner.owner, owner.world.change())


def change_password_elsewhere(owner) -> None:
    link = passwords.build_link(owner.owner, owner.world.app.extensions["embed"].signer, "")
    assert Guest(owner.world).submit(link, password=NEW).status_code == 303


@pytest.mark.parametrize("end", [sign_out, change_password_elsewhere])
def test_form_of_an_ended_session_is_shown_again_and_saved_by_another_press(owner, path, end):
    end(owner)
    late = send(owner, path, **TYPED)
    assert (late.status_code, LATE in read(late), AGAIN in read(late)) == (403, True, True)
    assert "Tresor" not in late.text
    wrong = sign_in(owner.client, late, password="not the password")
    assert (wrong.status_code, find_kept(wrong)) == (422, find_kept(late))

    password = NEW if end == change_password_elsewhere else PASSWORD
    again = sign_in(owner.client, wrong, password=password)

    assert (again.status_code, again.request.path) == (200, path)
    assert NOT_YET in read(again)
    assert all(f'value="{TYPED[name]}"' in read(again) for name in ("address", "alias"))
    assert "<b>" not in again.text
    assert "checked" in re.search(r'<input[^>]* name="is_hidden"[^>]*>', again.text)[0]
    assert not Wallet.select().exists()
    owner.find_new_token()
    saved = send(owner, path, **TYPED | {"address": "So11111111111111111111111111111111111111112"})
    assert (saved.status_code, Wallet.get().public_alias) == (303, TYPED["alias"])


def test_form_that_is_shown_again_after_the_question_is_not_saved_by_the_answer(world, owner):
    """Also where another tab has signed in meanwhile."""
    path = f"/dashboard/pages/{world.page_id}/settings/keys/new/public"
    sign_out(owner)
    owner.sign_in_again()
    world.clock.forward(minutes=31)
    before = world.dump()["api_key"]

    asked = send(owner, path, label="Shop", origins="https://a.example")
    assert (asked.status_code, "Confirm it's you" in read(asked)) == (403, True)
    assert "Shop" not in asked.text
    sent = {"csrf_token": find_token(asked.text), "unsaved": find_kept(asked)}
    sent["present_password"] = PASSWORD
    answered = owner.client.post(path, data=sent, headers=FROM_HERE)

    assert (answered.status_code, NOT_YET in read(answered)) == (200, True)
    assert all(typed in answered.text for typed in ("Shop", "https://a.example"))
    assert world.dump()["api_key"] == before
    sent = {"csrf_token": find_token(answered.text), "unsaved": "x"}
    late = owner.client.post(path, data=sent, headers=FROM_HERE)
    assert late.location == HOME  # and not a form without fields


def test_another_account_gets_nothing(owner, make_member, path):
    editor = make_member("editor")
    end_elsewhere(owner)
    late = send(owner, path, **TYPED)

    found = sign_in(owner.client, late, email=editor.email)

    assert "Tresor" not in found.text
    assert send(editor, path, unsaved=find_kept(late)).location == HOME


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "none"}],
)
def test_what_other_sites_may_have_sent_is_neither_kept_nor_shown(owner, path, headers):
    """See test_isolation.py for requests that browsers call cross-site."""
    sign_out(owner)
    kept = find_kept(send(owner, path, **TYPED))

    late = send(owner, path, headers=headers, **TYPED)
    assert late.location == SIGN_IN
    assert "Set-Cookie" not in late.headers
    owner.sign_in_again()
    shown = owner.client.post(path, data={"unsaved": kept}, headers=headers)
    assert (shown.status_code, "Tresor" in shown.text) == (400, False)


def test_text_is_shown_for_half_an_hour_at_its_own_address_and_never_saved(owner, path):
    sign_out(owner)
    kept = find_kept(send(owner, path, headers={"Origin": "http://localhost"}, **TYPED))
    owner.sign_in_again()

    def show(at: str = path, value: str = kept):
        return owner.client.post(at, data={"unsaved": value}, headers=FROM_HERE)

    page = f"/dashboard/pages/{owner.world.page_id}"
    elsewhere = [f"{path}?x=1", f"{page}/wallets/tags", f"{page}/settings/danger/delete"]
    before = owner.world.dump()
    assert "Tresor" in show().text
    assert {show(at).status_code for at in elsewhere} == {400}
    altered = [kept[:-6] + "AAAAAA", "é", "", "A" * 5000]
    assert {show(value=value).status_code for value in altered} == {400}
    owner.world.clock.forward(minutes=29, seconds=59)
    assert "Tresor" in show().text
    owner.world.clock.forward(seconds=1)
    assert show().status_code == 400
    assert owner.world.dump() == before


def test_nothing_that_is_secret_or_large_is_kept(world, owner, path, monkeypatch):
    read_kept = []
    seal = unsaved.msgspec.msgpack.encode
    monkeypatch.setattr(
        unsaved.msgspec.msgpack, "encode", lambda value: read_kept.append(value) or seal(value)
    )
    end_elsewhere(owner)
    secrets = ("present_password", "present_passkey", "password", "bot_token", "access_token")
    secrets += ("webhook_url", "target", "topic", "renewed")
    send(owner, path, alias="A", **dict.fromkeys(secrets, "secret"))
    assert read_kept[0].fields == [("alias", "A")]

    for at, fields in [
        ("/dashboard/account", {"current": PASSWORD, "password": NEW, "again": NEW}),
        (path, {"alias": "x" * 10_000}),
        (path, {"csrf_token": find_token(Guest(world).get(SIGN_IN).text)}),
    ]:
        late = send(owner, at, **fields)
        assert (late.status_code, LATE in read(late), find_kept(late)) == (403, True, None), at
        assert "Sign in, then try again." in read(late)
        assert sign_in(owner.client, late).request.path == at
        end_elsewhere(owner)


def test_every_form_that_a_page_of_ours_sends_too_late_is_answered(world, things):
    client = world.app.test_client()

    for endpoint, method, rule in list_routes(world.app):
        if method == "POST" and ROUTES[endpoint].needs != "anybody":
            answer = client.post(fill_in(rule, things), headers=FROM_HERE, data={"x": "y"})
            assert (answer.status_code, LATE in read(answer)) == (403, True), rule
