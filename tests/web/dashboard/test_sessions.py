"""How long owners stay signed in, what ends it, and the list of where they are signed in."""

import re
import time
from datetime import timedelta

import pytest
from itsdangerous import TimestampSigner
from peewee import Database
from support.locks import held_writes
from support.owner_browser import PASSWORD, find_token
from support.world import Visitor

from embed.db.models import Session
from embed.people import accounts, passwords
from embed.web.dashboard import account, sign_in
from embed.web.dashboard.blueprint import COOKIE, LOCAL_COOKIE

pytestmark = pytest.mark.slow

HOME = "/dashboard/"
ACCOUNT = "/dashboard/account"
SIGN_IN = "/dashboard/sign-in"
NEW = {"password": "another long password"}
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)
CREDENTIAL = f"{'s' * 20}.{'S' * 32}"  # of no session


class Timer:
    """The time by which the session cookie is signed and read."""

    def __init__(self) -> None:
        self.now_s = int(time.time())

    def forward(self, **by: float) -> None:
        self.now_s += int(timedelta(**by).total_seconds())


@pytest.fixture
def timer(monkeypatch) -> Timer:
    timer = Timer()
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: timer.now_s)
    return timer


@pytest.fixture
def link(world, owner) -> str:
    """A one-time link to another password."""
    return passwords.build_link(owner.owner, world.app.extensions["embed"].signer, "")


class OtherBrowser:
    """A browser of its own, whose forms carry the token of the account page."""

    def __init__(self, world, *, user_agent: str = "", address: str = "127.0.0.1") -> None:
        self.client = world.app.test_client()
        self._sent = {
            "headers": {"User-Agent": user_agent},
            "environ_base": {"REMOTE_ADDR": address},
        }

    def get(self, path: str):
        return self.client.get(path, **self._sent)

    def post(self, path: str, token: str | None = None, **fields):
        token = token or find_token(self.get(ACCOUNT).text)
        return self.client.post(path, data={"csrf_token": token} | fields, **self._sent)

    def sign_in(self, email="owner@example.com", password=PASSWORD) -> Session:
        """Sign in, and return the row."""
        token = find_token(self.get(SIGN_IN).text)
        answer = self.post(SIGN_IN, token, email=email, password=password)
        assert answer.status_code == 303, answer.text
        return Session.get_by_id(self.credential.split(".")[0])

    @property
    def credential(self) -> str:
        with self.client.session_transaction(SIGN_IN) as session:
            return session["_user_id"]

    @property
    def is_signed_in(self) -> bool:
        return self.get(HOME).status_code == 200


@pytest.fixture
def browser(world, owner) -> OtherBrowser:
    """Another browser, in which the owner has signed in too."""
    browser = OtherBrowser(world)
    browser.sign_in()
    return browser


@pytest.fixture
def steal(world):
    """Copy the cookie of a browser into another: ``steal(client)``."""

    def copy(client) -> OtherBrowser:
        thief = OtherBrowser(world)
        cookie = client.get_cookie(LOCAL_COOKIE, path="/dashboard")
        thief.client.set_cookie(LOCAL_COOKIE, cookie.value, path="/dashboard")
        assert thief.is_signed_in
        return thief

    return copy


def list_ids() -> set[str]:
    return {session.id for session in Session.select()}


def own_session(owner) -> Session:
    return Session.get(Session.person == owner.owner)


def test_owner_is_forgotten_14_days_after_the_last_visit(world, timer, owner):
    for _ in range(3):
        timer.forward(days=14)
        world.clock.forward(days=14)
        assert owner.get(HOME).status_code == 200

    world.clock.forward(days=14, seconds=1)
    assert owner.get(HOME).status_code == 302


@pytest.mark.parametrize("path", ["queue/news", "embed/preview"])
def test_what_scripts_ask_for_does_not_bring_back_a_session_that_has_ended(
    world, timer, owner, path
):
    timer.forward(days=1)
    world.clock.forward(days=1)
    seen_at = own_session(owner).seen_at

    answer = owner.get(f"/dashboard/pages/{world.page_id}/{path}")

    assert answer.status_code in (200, 302)
    assert "Set-Cookie" not in answer.headers
    assert own_session(owner).seen_at == seen_at  # no visit either


def test_cookie_is_sent_again_after_an_hour_and_not_before(world, owner):
    assert owner.token  # which the cookie has from now on
    world.clock.forward(hours=1, seconds=-1)
    assert "Set-Cookie" not in owner.get(HOME).headers

    world.clock.forward(seconds=1)
    assert "Set-Cookie" in owner.get(HOME).headers
    assert "Set-Cookie" not in owner.get(HOME).headers


def test_slow_answer_does_not_bring_back_the_cookie_of_before_the_question(world, owner, steal):
    """Other tabs of a browser have one cookie, and its requests may be answered in any order."""
    other_tab = steal(owner.client)
    token = find_token(other_tab.get(ACCOUNT).text)
    world.clock.forward(minutes=31)
    assert "Set-Cookie" not in other_tab.get(HOME).headers

    owner.confirm()

    for path in (HOME, ACCOUNT, "/dashboard/confirm", SIGN_IN):
        assert "Set-Cookie" not in other_tab.get(path).headers, path
    answered_too = other_tab.post("/dashboard/confirm", token, present_password=PASSWORD)
    assert answered_too.headers["Location"] == SIGN_IN
    assert "Set-Cookie" not in answered_too.headers
    assert owner.get(HOME).status_code == 200


def test_visit_that_cannot_be_stored_is_answered_all_the_same(world, owner, environ):
    world.clock.forward(hours=2)

    with held_writes(environ["DATABASE_URL"]):
        assert owner.get(HOME).status_code == 200


def test_link_of_somebody_else_ends_the_session_of_whoever_follows_it(owner, stranger, link):
    token = find_token(stranger.get(link).text)

    stranger.client.post(link, data={"csrf_token": token} | NEW)

    assert owner.email in stranger.see(HOME)
    assert {session.person for session in Session.select()} == {owner.owner}


def test_new_password_ends_the_others_and_copies_of_this_cookie_but_not_this_one(
    owner, browser, stranger, steal
):
    thief = steal(owner.client)

    answer = owner.post(ACCOUNT, current=PASSWORD, **NEW)

    assert answer.status_code == 303
    assert owner.get(HOME).status_code == 200
    assert not browser.is_signed_in
    assert not thief.is_signed_in
    assert stranger.get(HOME).status_code == 200


def test_sign_in_with_a_password_that_changes_meanwhile_is_refused(
    world, owner, browser, monkeypatch
):
    find = passwords.find_by_password

    def find_and_change(email: str, password: str):
        found = find(email, password)
        passwords.choose_password(found, NEW["password"], world.change(), host="")
        return found

    monkeypatch.setattr(passwords, "find_by_password", find_and_change)
    browser.client = world.app.test_client()
    token = find_token(browser.get(SIGN_IN).text)
    answer = browser.post(SIGN_IN, token, email=owner.email, password=PASSWORD)

    assert answer.status_code == 422
    assert "is wrong" in answer.text
    assert list_ids() == set()
    # The form that comes with the refusal can be sent.
    monkeypatch.undo()
    token = find_token(answer.text)
    again = browser.post(SIGN_IN, token, email=owner.email, password=NEW["password"])
    assert again.status_code == 303


def sign_out(owner, session_id: str) -> None:
    owner.post("/dashboard/sign-out")


def end_that_one(owner, session_id: str) -> None:
    owner.post(f"{ACCOUNT}/sessions/{session_id}/end")


def end_by_command(owner, session_id: str) -> None:
    owner.world.app.test_cli_runner().invoke(args=["owners", "sign-out", owner.email])


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("end", [sign_out, end_that_one, end_by_command])
def test_stolen_cookie_is_worth_nothing_once_its_session_has_ended(world, owner, steal, end):
    thief = steal(owner.client)

    end(owner, own_session(owner).id)

    assert not thief.is_signed_in
    assert thief.get(f"/dashboard/pages/{world.page_id}/settings/keys").status_code == 302
    assert list_ids() == set()


def test_open_tab_of_an_ended_session_gets_to_the_sign_in(world, owner, browser):
    page = f"/dashboard/pages/{world.page_id}"
    token = find_token(browser.get(ACCOUNT).text)
    owner.post(f"{ACCOUNT}/sessions/end-others")
    before = world.dump()

    shown = browser.get(f"{page}/settings/keys")
    assert shown.headers["Location"] == f"{SIGN_IN}?next={page}/settings/keys"
    sent = browser.post(f"{page}/settings/danger/delete", token)
    assert sent.headers["Location"] == SIGN_IN
    assert browser.get(f"{page}/queue/news").status_code == 302  # its script then stops asking
    assert world.dump() == before
    assert "Email" in browser.get(shown.headers["Location"]).text


def test_secret_is_neither_in_the_database_nor_in_the_log(
    world, owner, browser, monkeypatch, caplog
):
    secret = browser.credential.split(".")[1]
    monkeypatch.setattr(account, "render", None)

    assert browser.get(ACCOUNT).status_code == 500

    assert "Unexpected failure" in caplog.text
    assert secret not in caplog.text
    assert secret not in repr(world.dump())
    assert browser.credential.split(".")[0] in repr(world.dump())


def test_api_and_widget_never_look_at_sessions(world, browser, monkeypatch):
    statements = []
    execute = Database.execute_sql

    def watch(database, sql, *arguments, **more):
        statements.append(sql)
        return execute(database, sql, *arguments, **more)

    cookie = browser.client.get_cookie(LOCAL_COOKIE, path="/dashboard").value
    cookies = f"{LOCAL_COOKIE}={cookie}; {COOKIE}={cookie}"
    monkeypatch.setattr(Database, "execute_sql", watch)
    send = world.client.open

    def send_with_cookies(path, *, headers, **arguments):
        own = headers.get("Cookie")
        both = "; ".join(each for each in (cookies, own) if each)
        return send(path, headers=headers | {"Cookie": both}, **arguments)

    monkeypatch.setattr(world.client, "open", send_with_cookies)
    visitor = Visitor()
    assert world.open_widget(visitor).status_code == 200
    assert world.read().status_code == 200
    assert world.submit(visitor).status_code == 201
    assert world.list_own(visitor).status_code == 200

    assert len(statements) > 4
    assert [sql for sql in statements if '"session"' in sql or '"person"' in sql] == []
    statements.clear()
    assert browser.is_signed_in
    assert [sql for sql in statements if '"session"' in sql] == statements[:1]


# The list


def test_list_says_where_in_words_and_which_one_this_is(world, owner):
    known = OtherBrowser(world, user_agent=FIREFOX, address="192.0.2.77")
    known.sign_in()
    world.clock.forward(hours=3)
    OtherBrowser(world, user_agent=IPHONE, address="2001:db8:1:2::3").sign_in()
    world.clock.forward(minutes=30)

    answer = known.get(ACCOUNT)

    listed = answer.text.partition('aria-labelledby="sessions"')[2]
    rows = re.findall(r'<li class="title-row">(.*?)</li>', listed, re.DOTALL)
    assert [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows] == [
        "Firefox on Linux this browser Signed in Jan 31, 2026, 9:30 AM UTC from 192.0.2.0/24"
        " · last seen within the past hour",
        "Safari on iPhone Signed in Jan 31, 2026, 12:30 PM UTC from 2001:db8:1::/48"
        " · last seen within the past hour Sign out",
        "Unknown browser Signed in Jan 31, 2026, 9:30 AM UTC from 127.0.0.0/24"
        " · last seen in the hour after Jan 31, 2026, 9:30 AM UTC Sign out",
    ]
    assert "Sign out all others" in answer.text
    assert "192.0.2.77" not in answer.text
    assert "192.0.2.77" not in repr(world.dump())


def test_one_session_or_all_others_are_ended_and_nobody_elses(world, owner, browser, stranger):
    third = OtherBrowser(world)
    row = third.sign_in()

    answer = owner.post(f"{ACCOUNT}/sessions/{row.id}/end")
    assert answer.headers["Location"] == f"{ACCOUNT}#sessions"
    assert "The browser is signed out." in owner.see(ACCOUNT)
    assert not third.is_signed_in
    assert browser.is_signed_in

    assert owner.post(f"{ACCOUNT}/sessions/end-others").status_code == 303
    assert "All other browsers are signed out." in owner.see(ACCOUNT)
    assert "Sign out all others" not in owner.see(ACCOUNT)
    assert not browser.is_signed_in
    assert stranger.get(HOME).status_code == 200


@pytest.mark.databases("sqlite", "postgres")
def test_session_of_somebody_else_is_not_found_and_does_not_end(owner, stranger):
    before = list_ids()

    theirs = own_session(stranger).id
    for session_id in (theirs, "x" * 20, "x", "%00", "A" * 5000):
        assert owner.post(f"{ACCOUNT}/sessions/{session_id}/end").status_code == 404

    assert list_ids() == before
    assert theirs not in owner.get(ACCOUNT).text


@pytest.mark.parametrize("password", ["", "owner@localhost", PASSWORD])
def test_installations_own_owner_cannot_sign_in_before_a_password_is_chosen(world, owner, password):
    owner.post("/dashboard/sign-out")
    assert accounts.get_person(accounts.INSTALLATION_OWNER).password_hash is None

    answer = owner.sign_in_again(email=accounts.INSTALLATION_OWNER, password=password)

    assert answer.status_code in (200, 422)
    assert owner.get(HOME).status_code == 302


def test_one_time_link_is_in_no_page_and_not_in_the_log_of_a_failure(
    world, owner, link, monkeypatch, caplog
):
    answer = owner.get(link)
    assert answer.status_code == 200
    assert link.rpartition("/")[2] not in answer.text
    monkeypatch.setattr(sign_in, "render", None)

    assert world.app.test_client().get(link).status_code == 500

    assert "Unexpected failure" in caplog.text
    assert link.rpartition("/")[2] not in caplog.text
