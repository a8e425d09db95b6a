"""How long owners stay signed in, what ends it, and the list of where they are signed in."""

import re
import time
from datetime import timedelta

import pytest
from guest import ACCOUNT, HOME, SIGN_IN, Guest
from itsdangerous import TimestampSigner
from support.locks import held_writes
from support.owner_browser import PASSWORD, find_token

from embed.db.models import Session
from embed.web.dashboard.blueprint import LOCAL_COOKIE

pytestmark = pytest.mark.slow

NEW = "another long password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


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
def browser(world, owner) -> Guest:
    """Another browser, in which the owner has signed in too."""
    browser = Guest(world)
    browser.sign_in()
    return browser


@pytest.fixture
def thief(world, owner) -> Guest:
    """Somebody who has copied the owner's cookie."""
    thief = Guest(world)
    thief.cookie = owner.client.get_cookie(LOCAL_COOKIE, path="/dashboard").value
    assert thief.is_signed_in
    return thief


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


def test_slow_answer_does_not_bring_back_the_cookie_of_before_the_question(world, owner, thief):
    """Other tabs of a browser have one cookie, and its requests may be answered in any order."""
    other_tab = thief
    token = find_token(other_tab.get(ACCOUNT).text)
    world.clock.forward(minutes=31)
    assert "Set-Cookie" not in other_tab.get(HOME).headers

    owner.confirm()

    for path in (HOME, "/dashboard/confirm", SIGN_IN):
        assert "Set-Cookie" not in other_tab.get(path).headers, path
    answered_too = other_tab.post("/dashboard/confirm", token, present_password=PASSWORD)
    assert answered_too.location == SIGN_IN
    assert "Set-Cookie" not in answered_too.headers
    assert owner.get(HOME).status_code == 200


def test_visit_that_cannot_be_stored_is_answered_all_the_same(world, owner, environ):
    world.clock.forward(hours=2)

    with held_writes(environ["DATABASE_URL"]):
        assert owner.get(HOME).status_code == 200


def test_new_password_ends_the_others_and_copies_of_this_cookie_but_not_this_one(
    owner, browser, stranger, thief
):
    answer = owner.post(ACCOUNT, current=PASSWORD, password=NEW)

    assert answer.status_code == 303
    assert owner.get(HOME).status_code == stranger.get(HOME).status_code == 200
    assert not browser.is_signed_in
    assert not thief.is_signed_in


def sign_out(owner, session_id: str) -> None:
    owner.post("/dashboard/sign-out")


def end_that_one(owner, session_id: str) -> None:
    owner.post(f"{ACCOUNT}/sessions/{session_id}/end")


def end_by_command(owner, session_id: str) -> None:
    owner.world.app.test_cli_runner().invoke(args=["owners", "sign-out", owner.email])


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("end", [sign_out, end_that_one, end_by_command])
def test_stolen_cookie_is_worth_nothing_once_its_session_has_ended(world, owner, thief, end):
    end(owner, own_session(owner).id)

    assert not thief.is_signed_in
    assert thief.get(f"/dashboard/pages/{world.page_id}/settings/keys").status_code == 302
    assert not Session.select().exists()


def test_open_tab_of_an_ended_session_gets_to_the_sign_in(world, owner, browser):
    page = f"/dashboard/pages/{world.page_id}"
    token = find_token(browser.get(ACCOUNT).text)
    owner.post(f"{ACCOUNT}/sessions/end-others")
    before = world.dump()

    shown = browser.get(f"{page}/settings/keys")
    assert shown.location == f"{SIGN_IN}?next={page}/settings/keys"
    assert browser.post(f"{page}/settings/danger/delete", token).location == SIGN_IN
    assert browser.get(f"{page}/queue/news").status_code == 302  # its script then stops asking
    assert world.dump() == before


# The list


def test_list_says_where_in_words_and_which_one_this_is(world, owner):
    known = Guest(world, user_agent=FIREFOX, address="192.0.2.77")
    known.sign_in()
    world.clock.forward(hours=3)
    Guest(world, user_agent=IPHONE, address="2001:db8:1:2::3").sign_in()
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
    assert "192.0.2.77" not in answer.text + repr(world.dump())


def test_session_of_somebody_else_is_not_found_and_does_not_end(owner, stranger):
    theirs = own_session(stranger).id

    for session_id in (theirs, "x" * 20, "%00", "A" * 5000):
        assert owner.post(f"{ACCOUNT}/sessions/{session_id}/end").status_code == 404

    assert stranger.get(HOME).status_code == 200
    assert theirs not in owner.get(ACCOUNT).text
