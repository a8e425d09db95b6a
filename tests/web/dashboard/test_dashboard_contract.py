"""Rules for all routes of the dashboard, listed from the URL map."""

import re
from functools import partial

import pytest
from receiving import add_deliveries
from routes import fill_in, list_routes
from support.many_submissions import add_submissions
from support.world import SITE, Visitor, change_at

from embed.db.connection import db
from embed.db.models import Receiver
from embed.keys import management, refused_origins
from embed.people import invitations
from embed.submissions.deny_list import block_on_page
from embed.web.dashboard.routes import ANYBODY, ROUTES

pytestmark = pytest.mark.slow

POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


def check_headers(answer, where: str) -> None:
    policy = {part.strip() for part in answer.headers["Content-Security-Policy"].split(";")}
    assert policy >= POLICY, where
    assert "unsafe" not in str(policy), where
    assert answer.headers["Cache-Control"] == "no-store", where
    assert answer.headers["X-Content-Type-Options"] == "nosniff", where
    assert answer.headers["Referrer-Policy"] == "same-origin", where
    assert answer.headers["Cross-Origin-Opener-Policy"].startswith("same-origin"), where
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin", where
    body = answer.text if answer.mimetype == "text/html" else ""
    body = re.sub(r"<pre.*?</pre>", "", body, flags=re.DOTALL)  # the snippet, shown as text
    body = body.replace('<script type="application/json"', "")  # data, which browsers do not run
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:", body), where


def test_every_route_sends_a_stranger_to_the_sign_in(world, things):
    client = world.app.test_client()
    before = world.dump()

    for endpoint, method, rule in list_routes(world.app):
        answer = client.open(fill_in(rule, things), method=method)
        where = f"{method} {rule}"
        check_headers(answer, where)
        if ROUTES[endpoint].needs == ANYBODY:
            assert answer.status_code in (200, 400, 404, 415), where
        else:
            assert answer.status_code == 302, where
            assert answer.headers["Location"].startswith("/dashboard/sign-in"), where
    assert world.dump() == before


def test_another_owner_finds_nothing_and_changes_nothing(world, things, stranger):
    own_page = stranger.make_page()
    before = world.dump()

    scoped = [route for route in list_routes(world.app) if "<page_id>" in route[2]]
    assert len(scoped) > 20
    for _, method, rule in scoped:
        # The owner's page, and the owner's objects under the stranger's page.
        tried = [things] + ([things | {"page_id": own_page}] if has_a_thing(rule) else [])
        for named in tried:
            path = fill_in(rule, named)
            answer = stranger.post(path) if method == "POST" else stranger.get(path)
            assert answer.status_code == 404, f"{method} {rule}"
            check_headers(answer, f"{method} {rule}")
    assert world.dump() == before


def has_a_thing(rule: str) -> bool:
    return bool(re.search(r"<(tag|wallet|key|submission|receiver|channel)_id>", rule))


def test_what_cannot_be_an_id_is_not_found(world, things, owner):
    tried = [
        fill_in(rule, things | {name: wrong})
        for name in ("page_id", "tag_id", "wallet_id", "key_id", "receiver_id", "channel_id")
        for wrong in ("x", "%00", "A" * 5000, "%ff", "..%2f")
        for _, method, rule in list_routes(world.app)
        if method == "GET" and f"<{name}>" in rule
    ]

    assert [path for path in tried if owner.get(path).status_code != 404] == []


@pytest.mark.parametrize("token", ["x", "%00", "é", "a.b.c"])
@pytest.mark.parametrize("kind", ["decide", "mail", "invitations", "password"])
def test_link_that_we_did_not_make_is_refused(world, kind, token):
    answer = world.app.test_client().get(f"/dashboard/{kind}/{token}")

    assert answer.status_code == 404
    assert re.search("link is invalid|has expired|has been used", answer.text)


def test_owner_reaches_every_route_and_every_answer_is_guarded(world, things, owner):
    for endpoint, method, rule in list_routes(world.app):
        if method != "GET" or ROUTES[endpoint].needs == ANYBODY:
            continue
        answer = owner.get(fill_in(rule, things))
        assert answer.status_code in (200, 302, 303, 404), rule
        assert answer.status_code != 404 or "<submission_id>" in rule, rule
        check_headers(answer, rule)
        text = re.sub(r"<pre.*?</pre>|<[^>]+>", "", answer.text, flags=re.DOTALL)
        if answer.mimetype == "text/html":
            assert not re.search(r"\d{4}-\d\d-\d\d", text), rule  # dates are the reader's
            assert not re.search(r'-wrong"|aria-invalid', answer.text), rule  # nothing was entered


def test_every_form_without_its_token_is_refused_and_changes_nothing(world, things, owner):
    before = world.dump()

    for _, method, rule in list_routes(world.app):
        if method == "GET":
            continue
        # Mail services send such a form, without a token, to one address.
        sent = {} if "/mail/<token>" in rule else {"List-Unsubscribe": "One-Click"}
        answer = owner.client.open(fill_in(rule, things), method=method, data={"x": "y"} | sent)
        assert answer.status_code == 400, rule
        check_headers(answer, rule)
    assert world.dump() == before


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_getting_a_page_changes_nothing(world, things, owner, method):
    owner.get(f"/dashboard/pages/{world.page_id}/embed/preview")  # makes the preview's key, once
    owner.confirm()
    now = world.clock()
    _, token = invitations.invite(world.make_page(), owner.email, "viewer", change_at(now))
    before = world.dump()

    for rule in world.app.url_map.iter_rules():
        if method in rule.methods:
            named = dict.fromkeys(rule.arguments, "x") | things | {"token": token}
            owner.client.open(fill_in(rule.rule, named), method=method)
    assert world.dump() == before


def test_every_address_and_icon_of_a_page_exists(world, things, owner):
    """Links and forms lead to routes without a script, and icons are in the page's sprites."""
    adapter = world.app.url_map.bind("localhost")
    for endpoint, method, rule in list_routes(world.app):
        if method != "GET" or ROUTES[endpoint].needs == ANYBODY:
            continue
        text = owner.get(fill_in(rule, things)).text
        for path in re.findall(r'<a [^>]*href="(/[^"#?]*)', text):
            adapter.match(path, method="GET")
        for form in re.findall(r"<form [^>]*>", text):
            action = re.search(r'action="(/[^"?]*)', form)
            if action:
                verb = "POST" if 'method="post"' in form else "GET"
                adapter.match(action[1], method=verb)
        icons = set(re.findall(r'href="#(icon-[^"]+)"', text))
        assert icons <= set(re.findall(r'id="(icon-[^"]+)"', text)), rule


@pytest.mark.databases("sqlite", "postgres")
def test_no_page_asks_the_database_more_often_for_200_of_each_thing_than_for_5(
    world, things, owner, count_statements
):
    page = f"/dashboard/pages/{world.page_id}"
    log = f"settings/notifications/{things['receiver_id']}/deliveries"
    paths = [
        f"{page}/{path}"
        for path in (
            *("queue", "queue?tab=decided", "queue?tab=turned-away", "queue/news", "activity"),
            *("wallets", "wallets/new", "wallets/import", "wallets.csv", "wallets/tags"),
            *("settings/keys", "settings/rules", "settings/notifications"),
            *(log, f"{log}?state=given_up"),
        )
    ]
    webhook = Receiver.get_by_id(things["receiver_id"])

    def fill(first: int, last: int) -> None:
        with db.atomic():
            for number in range(first, last):
                world.add_tag(f"tag {number}")
                world.track(Visitor().address, alias=f"Visitor {number}", balance=number)
                world.make_key("public", origins=[f"https://{number}.example"])
                block_on_page(world.page_id, "name", f"bot {number}*", world.change())
        for key in management.list_keys(world.page_id):
            refused_origins.store_refused_origin(key.id, SITE, world.clock(), lambda: True)
        for status in ("pending", "approved", "soft_rejected"):
            add_submissions(world, last - first, status)
        add_deliveries(world, webhook, last - first, "given_up")

    def count() -> dict[str, int]:
        owner.see("/dashboard/")  # stores the visit, once an hour
        return {path: count_statements(partial(owner.get, path)) for path in paths}

    fill(0, 5)
    few = count()
    fill(5, 200)

    assert count() == few
    assert max(few.values()) <= 19
