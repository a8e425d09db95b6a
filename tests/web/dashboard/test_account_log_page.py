"""What happened with an account, as its person sees it."""

import html
import re

import pytest
from guest import ACCOUNT, SIGN_IN, Guest
from support.owner_browser import PASSWORD, find_token

from embed.db.models import AccountEvent
from embed.events import account_log
from embed.people import accounts

pytestmark = pytest.mark.slow

LOG = f"{ACCOUNT}/log"
NEW, WRONG = "another long password", "a wrong password"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def attempt(world, password=WRONG, *, user_agent=FIREFOX) -> Guest:
    """Try to sign in from a browser of its own."""
    guest = Guest(world, address="192.0.2.77", user_agent=user_agent)
    guest.sign_in(password=password).close()  # is sent, which stores a failure
    return guest


def list_lines(owner, path: str = ACCOUNT) -> list[str]:
    """Return the lines of the log, without the marks around names."""
    log = re.search(r'<ol class="lines">(.*?)</ol>', owner.get(path).text, re.DOTALL)[1]
    texts = [re.sub(r"<[^>]+>|[\u2068\u2069]", "", line) for line in log.split("</li>")]
    return [html.unescape(" ".join(text.split())) for text in texts if text.strip()]


@pytest.mark.databases("sqlite", "postgres")
def test_person_sees_what_happened_and_from_where(world, owner):
    def end_others() -> None:
        owner.post(f"{ACCOUNT}/sessions/end-others")

    def change_password() -> None:
        token = find_token(owner.get(ACCOUNT).text)
        owner.post(ACCOUNT, csrf_token=token, current=PASSWORD, password=NEW)

    for act in (lambda: attempt(world), lambda: attempt(world, PASSWORD), end_others):
        world.clock.forward(minutes=1)
        act()
    world.clock.forward(minutes=1)
    change_password()

    here, where = " · 127.0.0.0/24", " · Firefox on Linux · 192.0.2.0/24"
    lines = list_lines(owner)
    assert sorted(lines[:3]) == [
        f"The new password signed out all browsers: 1 Jan 31, 2026, 9:34 AM UTC{here}",
        f"The password was changed Jan 31, 2026, 9:34 AM UTC{here}",
        f"You signed in Jan 31, 2026, 9:34 AM UTC{here}",
    ]
    assert lines[3:6] == [
        f"You signed out other browsers: 1 Jan 31, 2026, 9:33 AM UTC{here}",
        f"You signed in Jan 31, 2026, 9:32 AM UTC{where}",
        f"Someone tried to sign in with a wrong password Jan 31, 2026, 9:31 AM UTC{where}",
    ]
    assert "The page USD Coin now belongs to you Jan 31, 2026, 9:30 AM UTC" in lines


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
    assert list_numbers(f"{LOG}?after=nonsense") == list(range(74, 24, -1))


def test_log_of_somebody_else_is_not_seen(world, owner, stranger):
    attempt(world)
    cursor = account_log.list_events(owner.owner, 1).next_cursor

    for path in (ACCOUNT, LOG, f"{LOG}?after={cursor}"):
        assert not re.search("wrong password|Firefox", stranger.see(path))
    assert world.app.test_client().get(LOG).location.startswith(SIGN_IN)


def test_failure_is_stored_after_the_answer(world, owner):
    failures = AccountEvent.select().where(AccountEvent.kind == "sign-in failed")

    answer = Guest(world).sign_in(" Owner@Example.com ", "wrong")

    assert "is wrong" in answer.text
    assert failures.count() == 0
    answer.close()
    assert [event.person for event in failures] == [owner.owner]


def test_no_password_secret_token_or_address_of_a_client_is_in_the_rows(world, owner):
    secret = attempt(world, PASSWORD).credential.split(".")[1]
    attempt(world)
    page = f"/dashboard/pages/{world.page_id}/settings/people"
    ann = accounts.create_person("ann@example.com", world.clock())
    link = owner.post(page, email=ann.email, role="viewer").text
    token = re.search(r"/dashboard/invitations/([\w-]+)", link)[1]
    owner.post(ACCOUNT, current=PASSWORD, password=NEW)

    rows = repr(list(AccountEvent.select().dicts()))
    assert "sign-in failed" in rows
    assert "invited" in rows
    for private in (PASSWORD, NEW, WRONG, secret, token, "192.0.2.77", "$argon2id"):
        assert private not in rows
