"""The owner's queue: its tabs, what stands beside a submission, and searching."""

import re

import pytest
from queue_pages import ask, decide, list_shown, move, path_of, send, undo
from support.many_submissions import add_submissions
from support.world import Visitor

from embed.db.models import Submission

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script>"


@pytest.mark.databases("sqlite", "postgres")
def test_decided_and_refused_ones_have_tabs_of_their_own(world, owner):
    sent = {
        status: add_submissions(world, 1, status, reject_reason=reason)
        for status, reason in {
            "pending": None,
            "approved": None,
            "auto_approved": None,
            "rejected": "manual",
            "soft_rejected": "cooldown",
        }.items()
    }
    shown = {
        tab: set(list_shown(owner.get(f"{path_of(world)}?tab={tab}")))
        for tab in ("waiting", "decided", "turned-away")
    }

    assert shown == {
        "waiting": {*sent["pending"]},
        "decided": {*sent["approved"], *sent["auto_approved"], *sent["rejected"]},
        "turned-away": {*sent["soft_rejected"]},
    }
    assert "Reason rejected recently" in owner.see(path_of(world) + "?tab=turned-away")


@pytest.mark.databases("sqlite", "postgres")
def test_each_decision_is_in_the_counts_at_once(world, owner):
    def count() -> tuple[str, ...]:
        page = owner.get(path_of(world)).text
        return tuple(re.findall(r'class="pill" data-count="[^"]+">(\d+)<', page))

    visitor = Visitor()
    one, other = send(world, visitor=visitor), send(world)
    assert count() == ("2", "0", "0")
    assert ask(owner, "decide", ids=[one], decision="approve")["counts"]["decided"] == 1
    world.reject(other)
    assert count() == ("0", "2", "0")
    undo(owner, one)
    assert count() == ("1", "1", "0")
    world.approve(one)
    world.withdraw(visitor)
    assert count() == ("0", "1", "0")

    world.configure(auto_approve=True)
    listed = Visitor()
    world.track(listed.address)
    send(world, visitor=listed)  # which doesn't change the list
    assert count() == ("0", "2", "0")
    assert world.submit(listed).status_code == 409
    assert count() == ("0", "2", "1")


@pytest.mark.databases("sqlite", "postgres")
def test_refusals_without_a_session_are_counted_by_reason(world, owner):
    turned_away = path_of(world) + "?tab=turned-away"
    nobody = '<div class="empty">\n  <p><strong>Nothing has been refused.'
    assert nobody in owner.get(turned_away).text
    world.configure(min_balance=100)
    for days in (0, 1):
        world.clock.forward(days=days)
        world.submit(Visitor())
    world.configure(min_balance=0)
    duplicate = Visitor()
    for _ in range(2):
        world.submit(duplicate)

    assert nobody not in owner.get(turned_away).text
    told = "only the number is known: below the minimum balance (2), already submitted (1)."
    add_submissions(world, 1, "soft_rejected")
    assert told in owner.see(turned_away)
    assert "Refused 4" in owner.see(turned_away)
    assert told not in owner.see(path_of(world))


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("tab", ["waiting", "decided"])
@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_parts_show_everything_once(world, owner, tab, order):
    ids = add_submissions(world, 60) if tab == "waiting" else add_submissions(world, 60, "approved")
    if tab == "decided":  # several statuses, merged, also at the same instant
        ids = [*ids, *add_submissions(world, 60, "rejected")]
    path, seen = f"{path_of(world)}?tab={tab}&order={order}", []
    while path:
        page = owner.get(path)
        seen += list_shown(page)
        link = re.search(r'rel="next" href="([^"]+)"', page.text)
        path = link and link[1].replace("&amp;", "&")

    assert sorted(seen) == sorted(ids)
    if tab == "waiting":
        assert seen == (ids if order == "oldest" else ids[::-1])


# The review context


def test_submission_of_nobody_known_says_what_is_unknown(world, owner):
    assert "Nothing to review." in owner.see(path_of(world))
    send(world)

    text = owner.see(path_of(world))
    for said in ("Balance unknown", "This wallet before none", "This visitor before none"):
        assert said in text
    add_submissions(world, 1, session_id=None)
    assert "This visitor before unknown (sent without a session)" in owner.see(path_of(world))


@pytest.mark.databases("sqlite", "postgres")
def test_past_of_a_wallet_on_all_pages_of_the_owner_and_no_others_stands_beside(
    world, owner, stranger
):
    sent = {"wallet_address": Visitor().address}
    world.observe(sent["wallet_address"], "1500.5")
    world.configure(min_balance=2000)
    add_submissions(world, 1, "rejected", **sent, reason_text="An older one.")
    world.clock.forward(minutes=5)
    add_submissions(world, 1, "rejected", **sent, reason_code="low_balance")
    move(add_submissions(world, 1, "approved", **sent), owner.make_page())
    move(add_submissions(world, 1, "approved", **sent), stranger.make_page())
    world.clock.forward(minutes=5)
    add_submissions(world, 1, **sent)

    text = owner.see(path_of(world))
    assert "1,500.5 of 2,000 needed, read Jan 31, 2026, 9:30 AM UTC" in text
    assert "This wallet before 1 approved, 2 rejected" in text
    assert "rejected before: 2 The wallet holds too few tokens." in text
    assert "An older one." not in text


def test_hostile_names_are_shown_as_text(world, owner):
    add_submissions(world, 1, nickname=HOSTILE)
    world.track(Visitor().address, alias=HOSTILE)
    (gone,) = add_submissions(world, 1, nickname=HOSTILE)
    decide(owner, "reject", gone)

    for answer in (
        owner.get(path_of(world)),
        decide(owner, "approve", gone),
        owner.get(path_of(world) + "?tab=decided"),
    ):
        assert HOSTILE not in answer.text
        assert "&lt;script&gt;" in answer.text


# Searching


@pytest.mark.databases("sqlite", "postgres")
def test_search_finds_by_name_address_and_visitor_in_each_tab(world, owner):
    (ann,) = add_submissions(world, 1, nickname="Ánn of Arc")
    (bob,) = add_submissions(world, 1, nickname="100%_sure", session_id="Visitor0" + "a" * 12)
    (cem,) = add_submissions(world, 1, "approved", nickname="Cem", session_id="Visitor0" + "b" * 12)
    address = Submission.get_by_id(ann).wallet_address

    def find(text: str, tab: str = "waiting") -> list[str]:
        return list_shown(owner.get(path_of(world), query_string={"q": text, "tab": tab}))

    assert find("  ann OF ") == find(address[10:30]) == [ann]
    assert find("Visitor0") == find("%_") == [bob]
    assert find("Visitor0", "decided") == [cem]
    assert "?q=Visitor0" in owner.get(path_of(world)).text
    assert find("isitor0") == find("_nn") == find("\0nobody") == []
    assert set(find("")) == set(find("\0")) == {ann, bob}
    assert find(f"{address[:4]}…{address[-4:]}") == [ann]
    assert "Nothing matches “ <nobody> ”." in owner.see(path_of(world) + "?q=<nobody>")


def test_search_and_order_stay_in_every_address(world, owner):
    ids = add_submissions(world, 60, nickname="Same & same")
    query = {"q": "same & same", "order": "oldest"}
    page = owner.get(path_of(world), query_string=query)

    assert list_shown(page) == ids[:40]
    links = re.findall(r'href="([^"]*/queue\?[^"]*(?:tab|after)=[^"]*)"', page.text)
    assert len(links) == 3
    assert all("q=same+%26+same" in link for link in links)
    part = f"order=oldest&q=same+%26+same&after=1700000000000-{'a' * 20}"
    assert decide(owner, "approve", ids[0], query=f"?{part}").location == f"{path_of(world)}?{part}"
