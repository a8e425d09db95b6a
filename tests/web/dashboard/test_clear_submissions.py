"""What nothing speaks against is approved at once: exactly what the page counted."""

import re
from functools import partial

import pytest
from queue_pages import list_shown, list_statuses, move, path_of, undo
from support.many_submissions import add_submissions
from support.owner_browser import read_text
from support.remote import race
from support.world import Visitor

from embed.balances.known import BalanceSource
from embed.db.models import Page, Submission, Wallet
from embed.submissions import decisions

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

ADDRESS, SESSION = "W" * 40, "s" * 20


def add(world, nickname="Ann", status="pending", **fields) -> str:
    return add_submissions(world, 1, status, nickname=nickname, **fields)[0]


def read_form(answer) -> list[str] | None:
    """Return the ids in the form that approves at once; None if it isn't offered."""
    form = re.search(r'<form class="clear row"([^>]*)>(.*?)</form>', answer.text, re.DOTALL)
    is_offered = form and "hidden" not in form[1]
    return re.findall(r'name="ids" value="(\w+)"', form[2]) if is_offered else None


def reject(world, page_id: str = "", **fields) -> None:
    move([add(world, "Bob", "rejected", **fields)], page_id or world.page_id)


def hold(world, amount: str) -> None:
    world.configure(min_balance=5)
    world.observe(ADDRESS, amount)


OF_WALLET, OF_SESSION = {"wallet_address": ADDRESS}, {"session_id": SESSION}
CLEAR = {
    "nothing is known": lambda world, owner: None,
    "the wallet was rejected on somebody else's page": lambda world, owner: reject(
        world, world.make_page(), **OF_WALLET
    ),
    "the visitor was approved": lambda world, owner: add(world, "Bob", "approved", **OF_SESSION),
    "the balance is enough": lambda world, owner: hold(world, "5"),
    "no balance is asked for": lambda world, owner: world.observe(ADDRESS, "0"),
}
DOUBTFUL = {
    "one on the list looks alike": lambda world, owner: world.track(
        Visitor().address, alias="A.n.n"
    ),
    "a pending one looks alike": lambda world, owner: add(world, "A.n.n"),
    "the wallet was rejected": lambda world, owner: reject(world, **OF_WALLET),
    "the wallet was rejected on another page of the owner": lambda world, owner: reject(
        world, owner.make_page(), **OF_WALLET
    ),
    "the visitor was rejected": lambda world, owner: reject(world, **OF_SESSION),
    "the rules refused the wallet": lambda world, owner: add(
        world, "Bob", "soft_rejected", **OF_WALLET
    ),
    "the balance is unknown": lambda world, owner: world.configure(min_balance=5),
    "the balance is too low": lambda world, owner: hold(world, "4.9"),
}


@pytest.mark.parametrize("case", [*CLEAR, *DOUBTFUL])
def test_submission_is_clear_unless_its_row_warns_of_something(world, owner, case):
    add(world, "Zoe", wallet_address="Z" * 40)
    world.observe("Z" * 40, "100")
    (CLEAR | DOUBTFUL)[case](world, owner)
    sent = add(world, wallet_address=ADDRESS, session_id=SESSION)
    page = owner.get(path_of(world))
    found = owner.get(path_of(world) + f"?q={ADDRESS}").text  # a search finds clear ones too
    row = re.search(rf'id="submission-{sent}".*?</li>', found, re.DOTALL)[0]

    assert (sent in read_form(page)) == (case in CLEAR)
    assert bool(re.search(r'class="pill (warn|bad)"', row)) == (case in DOUBTFUL)


def test_queue_shows_the_doubtful_ones_and_the_others_on_request(world, owner, make_member):
    doubtful = [add(world, "Same"), add(world, "S.a.m.e")]
    clear = add_submissions(world, 45)
    default, viewer = owner.get(path_of(world)), make_member("viewer")

    assert "45 have nothing against them Approve 45 Look through" in read_text(default)
    assert (set(list_shown(default)), read_form(default)) == (set(doubtful), clear)
    looked = owner.get(path_of(world) + "?only=clear")
    assert list_shown(looked) == clear[:4:-1]
    rest = re.search(r'rel="next" href="([^"]+)"', looked.text)[1].replace("&amp;", "&")
    assert list_shown(owner.get(rest)) == clear[4::-1]
    assert len(list_shown(owner.get(path_of(world) + "?q=visitor"))) == 40
    seen = viewer.get(path_of(world))
    assert (read_form(seen), len(list_shown(seen))) == (None, 40)


def test_press_approves_what_was_counted_and_is_undone_as_one(world, owner):
    ids = [add(world, "Ann")]
    assert read_form(owner.get(path_of(world))) is None  # one that is alone has its own button
    ids.append(add(world, "Bob"))
    page = owner.get(path_of(world))
    later = add(world, "Dan")
    answer = owner.post(path_of(world), ids=read_form(page))

    assert (answer.status_code, answer.location) == (303, path_of(world))
    assert list_statuses(*ids, later) == ["approved", "approved", "pending"]
    after = owner.get(path_of(world)).text
    toast = re.search(r'class="toast".*?</form>', after, re.DOTALL)[0]
    assert "Approved: 2." in toast
    assert undo(owner, *re.findall(r'name="ids" value="(\w+)"', toast)).status_code == 303
    assert set(list_statuses(*ids)) == {"pending"}
    assert Wallet.select().count() == 0


def test_what_was_decided_withdrawn_or_doubted_meanwhile_is_left_and_named(world, owner):
    gone = Visitor()
    world.submit(gone, "Gone")
    names = ("Decided", "Copied", "Poor", "Rejected", "Fine")
    ids = [add(world, name, wallet_address=name[0] * 40) for name in names]
    for one in Submission.select():
        world.observe(one.wallet_address, "10")
    form = read_form(owner.get(path_of(world)))
    assert len(form) == 6
    world.reject(ids[0])
    world.withdraw(gone)
    add(world, "copied.")
    world.observe("P" * 40, "4")
    world.configure(min_balance=5)
    reject(world, wallet_address="R" * 40)

    answer = owner.post(path_of(world), ids=form)
    text = read_text(answer)
    assert answer.status_code == 409
    assert list_statuses(*ids) == ["rejected", "pending", "pending", "pending", "approved"]
    assert "Withdrawn by the wallets' holders: 1." in text
    assert "4 couldn't be decided:" in text
    assert re.search(r"Decided D+ : It is already rejected", text)
    for name in ("Copied", "Poor", "Rejected"):
        assert f"{name} {name[0] * 40} : Something speaks against it now." in text


def test_forged_ids_approve_nothing_that_is_not_clear(world, owner):
    clear, doubtful = add(world, "Ann"), add(world, "Bob")
    add(world, "B.o.b")
    foreign = add(world, "Eve")
    move([foreign], world.make_page())

    assert owner.post(path_of(world), ids=[clear, foreign]).status_code == 404
    assert owner.post(path_of(world)).status_code == 422
    assert list_statuses(clear, foreign) == ["pending"] * 2
    assert owner.post(path_of(world), ids=[clear, doubtful]).status_code == 409
    assert list_statuses(clear, doubtful) == ["approved", "pending"]


def test_two_reviewers_who_press_at_once_approve_each_once(world):
    page, balances = Page.get_by_id(world.page_id), BalanceSource(uses_chain=False)
    for _ in range(4):
        ids = add_submissions(world, 20)
        press = partial(decisions.approve, page, ids, world.change(), balances=balances)
        results = race(press, press)

        assert sorted(len(one.decided) for one in results) == [0, 20]
        assert sorted(len(one.undecided) for one in results) == [0, 20]
        Wallet.delete().execute()
        Submission.delete().execute()
