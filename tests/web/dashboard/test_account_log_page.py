"""What happened with an account, as its person sees it."""

import html
import re

import pytest
from support.owner_browser import PASSWORD, find_token

from embed.db.models import AccountEvent
from embed.events import account_log
from embed.people import accounts

pytestmark = pytest.mark.slow

ACCOUNT = "/dashboard/account"
LOG = f"{ACCOUNT}/log"
SIGN_IN = "/dashboard/sign-in"
NEW = "another long password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def attempt(
    world, password=PASSWORD, email="owner@example.com", *, address="192.0.2.77", agent=FIREFOX
):
    """Try to sign in from a browser of its own; return it and the answer, which is sent."""
    client = world.app.test_client()
    sent = {"environ_base": {"REMOTE_ADDR": address}, "headers": {"User-Agent": agent}}
    token = find_token(client.get(SIGN_IN, **sent).text)
    form = {"csrf_token": token, "email": email, "password": password}
    answer = client.post(SIGN_IN, data=form, **sent)
    answer.get_data()
    answer.close()
    return client, answer


def list_lines(owner, path: str = ACCOUNT) -> list[str]:
    """Return the lines of the log, without the marks around names."""
    log = re.search(r'<ol class="lines">(.*?)</ol>', owner.get(path).text, re.DOTALL)[1]
    texts = [re.sub(r"<[^>]+>|[\u2068\u2069]", "", line) for line in log.split("</li>")]
    return [html.unescape(" ".join(text.split())) for text in texts if text.strip()]


@pytest.mark.databases("sqlite", "postgres")
def test_person_sees_what_happened_and_from_where(world, owner):
    world.clock.forward(minutes=1)
    attempt(world, "a wrong password")
    world.clock.forward(minutes=1)
    other, _ = attempt(world)
    world.clock.forward(minutes=1)
    owner.post(f"{ACCOUNT}/sessions/end-others")
    world.clock.forward(minutes=1)
    owner.post("/dashboard/sign-out")
    owner.sign_in_again()
    world.clock.forward(minutes=1)
    token = find_token(owner.get(ACCOUNT).text)
    form = {"csrf_token": token, "current": PASSWORD, "password": NEW}
    assert owner.client.post(ACCOUNT, data=form).status_code == 303

    here = " · 127.0.0.0/24"
    lines = list_lines(owner)
    assert sorted(lines[:3]) == [
        f"The new password signed out all browsers: 1 Jan 31, 2026, 9:35 AM UTC{here}",
        f"The password was changed Jan 31, 2026, 9:35 AM UTC{here}",
        f"You signed in Jan 31, 2026, 9:35 AM UTC{here}",
    ]
    assert sorted(lines[3:5]) == [
        f"You signed in Jan 31, 2026, 9:34 AM UTC{here}",
        f"You signed out Jan 31, 2026, 9:34 AM UTC{here}",
    ]
    where = " · Firefox on Linux · 192.0.2.0/24"
    assert lines[5:8] == [
        f"You signed out other browsers: 1 Jan 31, 2026, 9:33 AM UTC{here}",
        f"You signed in Jan 31, 2026, 9:32 AM UTC{where}",
        f"Someone tried to sign in with a wrong password Jan 31, 2026, 9:31 AM UTC{where}",
    ]
    assert "The page USD Coin now belongs to you Jan 31, 2026, 9:30 AM UTC" in lines
    assert other.get(ACCOUNT).status_code == 302


def test_log_is_in_the_persons_language(world, owner):
    attempt(world, "a wrong password")
    owner.post(f"{ACCOUNT}/language", language="de")

    lines = " ".join(list_lines(owner))
    assert "Jemand hat versucht, sich mit einem falschen Passwort anzumelden" in lines
    assert "Firefox unter Linux" in lines
    assert "Die Seite USD Coin gehört jetzt dir" in lines
    assert "Kontoprotokoll" in owner.see(LOG)


def test_member_sees_roles_in_words(world, owner, make_member):
    member = make_member("viewer")
    people = f"/dashboard/pages/{world.page_id}/settings/people"
    owner.post(f"{people}/role", email=member.email, role="editor")
    owner.post(f"{people}/remove", email=member.email, sure="yes")
    owner.post(people, email=member.email, role="reviewer")

    lines = " ".join(list_lines(member))
    for sentence in (
        "owner@example.com changed your role on the page USD Coin: Editor",
        "owner@example.com removed you from the page USD Coin",
        "owner@example.com invited you to the page USD Coin. Your role: Reviewer.",
    ):
        assert sentence in lines


def test_only_the_newest_are_on_the_account_page_and_older_ones_behind_a_link(world, owner):
    AccountEvent.delete().execute()
    assert "Nothing has happened yet." in owner.see(ACCOUNT)
    for number in range(75):
        world.clock.forward(seconds=1)
        account_log.store(owner.owner, "session ended", world.clock(), count=number)

    def list_numbers(path: str) -> list[int]:
        return [int(re.search(r": (\d+)", line)[1]) for line in list_lines(owner, path)]

    assert list_numbers(ACCOUNT) == list(range(74, 64, -1))
    older = re.search(r'href="([^"]+/log\?after=[^"]+)"', owner.get(ACCOUNT).text)[1]
    assert list_numbers(older) == list(range(64, 14, -1))
    rest = re.search(r'rel="next" href="([^"]+)"', owner.get(older).text)[1]
    assert list_numbers(rest) == list(range(14, -1, -1))
    assert list_numbers(LOG) == list(range(74, 24, -1))
    assert list_numbers(f"{LOG}?after=nonsense") == list(range(74, 24, -1))


def test_log_of_somebody_else_is_not_seen(world, owner, stranger):
    attempt(world, "a wrong password")
    cursor = account_log.list_events(owner.owner, 1).next_cursor

    for path in (ACCOUNT, LOG, f"{LOG}?after={cursor}"):
        text = stranger.see(path)
        assert "wrong password" not in text
        assert "Firefox" not in text
    assert world.app.test_client().get(LOG).headers["Location"].startswith(SIGN_IN)


@pytest.mark.parametrize(
    "agent", ["<b>Firefox/1 Linux", "Firefox/" * 1000 + "%(system)s", "\xff\xfe Chrome/1"]
)
def test_hostile_user_agent_and_name_of_a_page_show_nothing_strange(world, owner, agent):
    attempt(world, "a wrong password", agent=agent)
    account_log.store(owner.owner, "page taken over", world.clock(), page="<b>%(actor)s")

    assert owner.get(LOG).text.count("<b>") == 0
    assert "&lt;b&gt;%(actor)s" in owner.get(LOG).text
    assert re.search(r"· (Firefox on Linux|Firefox|Chrome) ·", " ".join(list_lines(owner, LOG)))
    assert len(max((event.data for event in AccountEvent.select()), key=len)) < 200


def test_failure_is_stored_after_the_answer(world, owner):
    client = world.app.test_client()
    token = find_token(client.get(SIGN_IN).text)
    form = {"csrf_token": token, "email": " Owner@Example.com ", "password": "wrong"}
    failures = AccountEvent.select().where(AccountEvent.kind == "sign-in failed")

    answer = client.post(SIGN_IN, data=form)
    assert "is wrong" in answer.text
    assert failures.count() == 0
    answer.close()
    assert [event.person for event in failures] == [owner.owner]


def test_wrong_password_of_somebody_who_is_signed_in_is_stored_once_an_hour(world, owner):
    paths = (ACCOUNT, "/dashboard/confirm")
    for path in (*paths, *paths):
        wrong = {"current": "wrong", "present_password": "wrong", "password": NEW}
        owner.post(path, **wrong).close()
        world.clock.forward(minutes=31)
    attempt(world, "a wrong password")

    kinds = [event.kind for event in AccountEvent.select()]
    assert (kinds.count("confirmation failed"), kinds.count("sign-in failed")) == (2, 1)
    assert "Someone who was signed in entered a wrong password" in owner.see(ACCOUNT)


def test_refused_attempt_stores_nothing(world, owner):
    for _ in range(10):
        attempt(world, "a wrong password")
    AccountEvent.delete().execute()
    assert attempt(world)[1].status_code == 429
    assert AccountEvent.select().count() == 0


def test_no_password_secret_token_or_address_of_a_client_is_in_the_rows(world, owner):
    client, _ = attempt(world)
    attempt(world, "a wrong password")
    with client.session_transaction(SIGN_IN) as session:
        secret = session["_user_id"].split(".")[1]
    page = f"/dashboard/pages/{world.page_id}/settings/people"
    ann = accounts.create_person("ann@example.com", world.clock())
    link = owner.post(page, email=ann.email, role="viewer").text
    token = re.search(r"/dashboard/invitations/([\w-]+)", link)[1]
    owner.post(ACCOUNT, current=PASSWORD, password=NEW)

    rows = repr(list(AccountEvent.select().dicts()))
    assert "sign-in failed" in rows
    assert "invited" in rows
    for private in (PASSWORD, NEW, "a wrong password", secret, token, "192.0.2.77", "$argon2id"):
        assert private not in rows
