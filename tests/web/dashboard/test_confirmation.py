"""The question "Confirm it's you" before what a stolen session must not be enough for."""

import html
import re
import secrets

import pytest
from forms import list_wrong_fields
from guest import ACCOUNT, HOME, SIGN_IN, Guest
from routes import fill_in, list_routes
from support.owner_browser import PASSWORD

from embed.db.connection import db
from embed.db.models import Receiver, Session
from embed.people import sessions
from embed.web.dashboard import sign_in
from embed.web.dashboard.blueprint import LOCAL_COOKIE
from embed.web.dashboard.routes import ROUTES

pytestmark = pytest.mark.slow

ASK = "/dashboard/confirm"
QUESTION = "Confirm it's you"
WRONG = "not the password"
REFRESH = re.compile('<meta http-equiv="refresh" content="0;url=([^"]*)">')
TARGET = 'https://site.example/?a="b"&amp;<c>'


@pytest.fixture
def late(world, owner):
    """The owner, for whom the half hour has passed."""
    world.clock.forward(minutes=30, seconds=1)
    return owner


def is_asked(answer) -> bool:
    if answer.status_code in (302, 303):
        return answer.location.startswith(f"{ASK}?next=")
    return answer.status_code == 403 and QUESTION in answer.text


def read_hidden(answer) -> dict[str, list[str]]:
    """Return the hidden fields that the form of a page sends, as a browser does."""
    form = re.search(r'<main.*?<form method="post" novalidate.*?</form>', answer.text, re.DOTALL)[0]
    fields: dict[str, list[str]] = {}
    for tag in re.findall(r'<input[^>]* type="hidden"[^>]*>|<input type="hidden"[^>]*>', form):
        if name := re.search(r' name="([^"]*)"', tag):
            value = html.unescape(re.search(r' value="([^"]*)"', tag)[1])
            fields.setdefault(html.unescape(name[1]), []).append(value)
    return fields


def answer_with(client, path: str, asked, password: str = PASSWORD):
    """Send the form of the page that asks."""
    return client.post(path, data=read_hidden(asked) | {"present_password": password})


# What asks


def list_requests(world, things, *, confirm: bool) -> list[tuple[str, str]]:
    return [
        (method, fill_in(rule, things))
        for endpoint, method, rule in list_routes(world.app)
        if ROUTES[endpoint].confirms == confirm and endpoint != "dashboard.sign_out"
    ]


def send(browser, method: str, path: str):
    """Make a request without an effect, whatever the answer."""
    with db.atomic() as transaction:
        answer = browser.get(path) if method == "GET" else browser.post(path)
        transaction.rollback()
    return answer


def test_routes_that_confirm_ask_after_half_an_hour_and_not_before_and_no_others(
    world, things, owner
):
    confirmed = list_requests(world, things, confirm=True)
    others = list_requests(world, things, confirm=False)
    world.clock.forward(minutes=30)
    assert [one for one in confirmed if is_asked(send(owner, *one))] == []

    world.clock.forward(seconds=1)

    before = world.dump()
    assert [one for one in confirmed if not is_asked(send(owner, *one))] == []
    assert world.dump() == before
    assert [one for one in others if is_asked(send(owner, *one))] == []


def test_whoever_may_not_is_refused_before_being_asked(world, things, stranger, make_member):
    viewer = make_member("viewer")
    world.clock.forward(minutes=31)
    requests = [one for one in list_requests(world, things, confirm=True) if "/pages/" in one[1]]
    requests = [one for one in requests if world.page_id in one[1]]

    assert len(requests) > 15
    for method, path in requests:
        may_read = path.endswith("wallets.csv")
        answer = send(viewer, method, path)
        assert is_asked(answer) if may_read else answer.status_code == 403, path
        assert send(stranger, method, path).status_code == 404, path


def test_answer_and_a_new_sign_in_count_for_half_an_hour(world, late, page):
    def sign_in_anew() -> None:
        late.post("/dashboard/sign-out")
        late.sign_in_again()

    for confirm in (late.confirm, sign_in_anew):
        assert is_asked(late.get(f"{page}/settings/keys"))
        confirm()
        world.clock.forward(minutes=30)
        assert late.get(f"{page}/settings/keys").status_code == 200
        world.clock.forward(seconds=1)


# The answer


def test_password_leads_to_where_the_person_was_going_and_nowhere_else(late, page):
    """See test_sign_in.py for all that leads elsewhere."""
    wanted = f"{page}/settings/keys?x=a%26b"
    location = late.get(wanted).location

    answer = answer_with(late.client, location, late.get(location))

    assert (answer.status_code, answer.location) == (303, wanted)
    assert late.get(wanted).status_code == 200
    for elsewhere in (late.get(f"{ASK}?next=//x.example"), late.post(f"{ASK}?next=//x.example")):
        assert elsewhere.location == HOME


@pytest.mark.parametrize("password", ["", PASSWORD + " "])
def test_wrong_password_confirms_nothing(world, late, page, password):
    before = world.dump()

    answer = late.post(ASK, present_password=password)

    assert answer.status_code == 422
    assert list_wrong_fields(answer) == ["present_password"]
    assert world.dump() == before
    assert is_asked(late.get(f"{page}/settings/keys"))
    assert not password or f'value="{password}"' not in answer.text


def test_password_cannot_be_guessed_without_limit(late, page):
    tries = [f"{page}/settings/danger/delete", ASK, ACCOUNT]  # one count for all
    guess = {"present_password": WRONG, "current": WRONG, "password": "another long password"}

    answers = [late.post(tries[i % 3], **guess) for i in range(10)]
    right = late.post(ASK, present_password=PASSWORD)

    assert {answer.status_code for answer in answers} == {422}
    assert right.status_code == 429
    assert 1 <= int(right.headers["Retry-After"]) <= 600
    assert "Too many attempts" in right.text
    assert is_asked(late.get(f"{page}/settings/keys"))
    assert late.post(ACCOUNT, **guess | {"current": PASSWORD}).status_code == 429


def test_strangers_use_up_no_attempts_of_a_session(world, late, page):
    """Not even from the same network, or in another session of the same account."""
    stranger, thief = Guest(world), Guest(world)
    thief.sign_in()
    world.clock.forward(minutes=31)
    for _ in range(11):
        tried, asked = stranger.sign_in(password=WRONG), thief.submit(ASK, present_password=WRONG)
    assert (tried.status_code, asked.status_code) == (429, 429)

    late.confirm()

    assert late.get(f"{page}/settings/keys").status_code == 200


# A form that comes late


def test_form_that_comes_late_is_carried_out_with_its_fields_after_the_password(world, late, page):
    path = f"{page}/settings/notifications"
    types = ["queue.filling", "submission.created"]
    sent = {"service": "webhook", "target": TARGET, "event_types": types}
    asked = late.post(path, **sent)
    assert is_asked(asked)
    again = answer_with(late.client, path, asked, WRONG)
    assert again.status_code == 422

    answer = answer_with(late.client, path, again)

    assert answer.status_code == 201
    assert set(Receiver.get(Receiver.target == TARGET).event_types) == set(types)
    assert PASSWORD not in answer.text


def test_download_begins_once_on_the_page_of_its_link(late, page):
    export = f"{page}/wallets.csv?tag=team"
    location = late.get(export).location
    asked = late.get(location)
    assert REFRESH.search(asked.text) is None

    answer_with(late.client, location, asked, WRONG)
    assert REFRESH.search(late.get(f"{page}/wallets").text) is None
    answer = answer_with(late.client, location, asked)

    assert answer.location == f"{page}/wallets"
    assert REFRESH.search(late.get(f"{page}/wallets").text)[1] == export
    assert REFRESH.search(late.get(f"{page}/wallets").text) is None
    assert late.get(export).mimetype == "text/csv"


def test_download_is_of_the_dashboard_and_a_long_address_signs_nobody_out(world, late):
    """Browsers refuse a cookie of more than 4 KB, and would keep that of before the question."""
    path, long = f"{ASK}?next={HOME}&download=", f"{HOME}{secrets.token_hex(4000)}"

    answer = late.post(path + long, present_password=PASSWORD)

    assert answer.location == HOME
    assert len(answer.headers["Set-Cookie"]) < 1000
    assert not REFRESH.search(late.get(HOME).text)
    world.clock.forward(minutes=31)
    late.find_new_token()
    late.post(f"{path}https://evil.example/", present_password=PASSWORD)
    assert REFRESH.search(late.get(HOME).text)[1] == HOME


# Sessions


def test_answer_in_one_session_confirms_no_other(world, owner, page):
    other = Guest(world)
    other.sign_in()
    world.clock.forward(hours=1)

    owner.confirm()

    assert owner.get(f"{page}/settings/keys").status_code == 200
    assert is_asked(other.get(f"{page}/settings/keys"))


def test_copy_of_the_cookie_is_worth_nothing_after_the_answer(world, late, page):
    thief = Guest(world)
    thief.cookie = late.client.get_cookie(LOCAL_COOKIE, path="/dashboard").value
    assert is_asked(thief.get(f"{page}/settings/keys"))

    late.confirm()

    for path in (HOME, f"{page}/settings/keys"):
        assert thief.get(path).location.startswith(SIGN_IN)
    assert late.get(HOME).status_code == 200
    assert Session.select().count() == 1


def test_session_that_ends_while_the_password_is_checked_is_not_confirmed(
    world, late, page, monkeypatch
):
    check = sign_in.is_correct_password

    def check_slowly(*arguments) -> bool:
        sessions.end_all(late.owner, late.world.change())
        return check(*arguments)

    monkeypatch.setattr(sign_in, "is_correct_password", check_slowly)
    answer = late.post(f"{page}/settings/danger/delete", present_password=PASSWORD)

    assert answer.location == SIGN_IN
    assert world.page.deleted_at is None
