"""The owner's queue: its contents, deciding and undoing."""

import html
import json
import re

import pytest
from support.folded import TYPED_BY_NAME
from support.many_submissions import add_submissions
from support.owner_browser import read_text
from support.world import Visitor

from embed.db.models import Submission

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script>"


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/queue", *more])


def send(world, nickname="Visitor", visitor=None) -> str:
    """Submit a wallet as a visitor with a session does; return the submission's id."""
    visitor = visitor or Visitor()
    if visitor.cookie is None:
        world.open_widget(visitor)
    answer = world.submit(visitor, nickname)
    assert answer.status_code == 201, answer.json
    return answer.json["submissionId"]


def decide(owner, decision: str, *ids: str, query: str = ""):
    return owner.post(path_of(owner.world, "decide") + query, ids=list(ids), decision=decision)


def undo(owner, *ids: str):
    return owner.post(path_of(owner.world, "undo"), ids=list(ids))


def list_undoable(owner) -> list[dict]:
    page = owner.get(path_of(owner.world)).text
    return json.loads(html.unescape(re.search(r'data-decisions="([^"]*)"', page)[1]))


def offered_undo(owner) -> str | None:
    """Return the sentence beside the button that undoes the latest decision, if there is one."""
    page = owner.get(path_of(owner.world)).text
    form = re.search(
        r'class="toast".*?"status">(.*?)</span>\s*<span data-undo( hidden)?>', page, re.DOTALL
    )
    return None if form[2] else re.sub(r"<[^>]+>", "", form[1])


def status_of(submission_id: str) -> str:
    return Submission.get_by_id(submission_id).status


def list_shown(answer) -> list[str]:
    return re.findall(r'id="submission-(\w+)"', answer.text)


# What is shown


@pytest.mark.databases("sqlite", "postgres")
def test_decided_and_refused_ones_have_tabs_of_their_own(world, owner):
    add_submissions(world, 1, nickname="Waits")
    add_submissions(world, 1, "approved", nickname="Approved")
    add_submissions(world, 1, "auto_approved", nickname="Automatic")
    add_submissions(world, 1, "rejected", nickname="Rejected")
    add_submissions(world, 1, "soft_rejected", nickname="Turned", reject_reason="cooldown")
    shown = {
        tab: {
            name
            for name in ("Waits", "Approved", "Automatic", "Rejected", "Turned")
            if f'<bdi translate="no">{name}</bdi>'
            in owner.get(path_of(world), query_string={"tab": tab}).text
        }
        for tab in ("waiting", "decided", "turned-away")
    }

    assert shown == {
        "waiting": {"Waits"},
        "decided": {"Approved", "Automatic", "Rejected"},
        "turned-away": {"Turned"},
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
    assert ask(owner, "decide", ids=[one], decision="approve").json["counts"]["decided"] == 1
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
    assert count() == ("0", "1", "0")
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
    for _ in range(2):
        world.submit(Visitor())
    world.clock.forward(days=1)
    world.submit(Visitor())
    world.configure(min_balance=0)
    duplicate = Visitor()
    world.submit(duplicate)
    world.submit(duplicate)

    assert nobody not in owner.get(turned_away).text
    told = "only the number is known: below the minimum balance (3), already submitted (1)."
    assert told in owner.see(turned_away)
    assert "Refused 4" in owner.see(turned_away)
    add_submissions(world, 1, "soft_rejected")
    assert "Refused 5" in owner.see(turned_away)
    assert told in owner.see(turned_away)
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
        page = owner.get(path).text
        seen += re.findall(r'id="submission-(\w+)"', page)
        link = re.search(r'rel="next" href="([^"]+)"', page)
        path = link and link[1].replace("&amp;", "&")

    assert sorted(seen) == sorted(ids)
    if tab == "waiting":
        assert seen == (ids if order == "oldest" else ids[::-1])


# The review context


def test_balance_stands_beside_with_the_minimum_and_its_time(world, owner):
    visitor = Visitor()
    world.observe(visitor.address, "1500.5")
    world.clock.forward(hours=1)
    send(world, visitor=visitor)
    world.configure(min_balance=2000)

    assert "1,500.5 of 2,000 needed, read Jan 31, 2026, 9:30 AM UTC" in owner.see(path_of(world))


@pytest.mark.databases("sqlite", "postgres")
def test_past_of_wallet_counts_on_all_pages_of_the_owner_and_no_others(world, owner, stranger):
    visitor = Visitor()
    add_submissions(world, 2, "rejected", wallet_address=visitor.address)
    elsewhere = world.make_page()
    world.make_key("public", page_id=elsewhere)
    fill_elsewhere = add_submissions(world, 1, "approved", wallet_address=visitor.address)
    Submission.update(page=elsewhere).where(Submission.id.in_(fill_elsewhere)).execute()
    owner.take(elsewhere)
    foreign = world.make_page()
    moved = add_submissions(world, 1, "approved", wallet_address=visitor.address)
    Submission.update(page=foreign).where(Submission.id.in_(moved)).execute()
    stranger.take(foreign)
    add_submissions(world, 1, wallet_address=visitor.address)

    assert "This wallet before 1 approved, 2 rejected" in owner.see(path_of(world))


@pytest.mark.databases("sqlite", "postgres")
def test_reason_of_the_last_rejection_stands_beside(world, owner):
    address = Visitor().address
    add_submissions(world, 1, "rejected", wallet_address=address, reason_text="An older one.")
    world.clock.forward(minutes=5)
    add_submissions(world, 1, "rejected", wallet_address=address, reason_code="low_balance")
    world.clock.forward(minutes=5)
    add_submissions(world, 1, wallet_address=address)

    text = owner.see(path_of(world))
    assert "rejected before: 2 The wallet holds too few tokens." in text
    assert "An older one." not in text


def test_submission_of_nobody_known_says_what_is_unknown(world, owner):
    assert "Nothing to review." in owner.see(path_of(world))
    send(world)

    text = owner.see(path_of(world))
    for said in ("Balance unknown", "This wallet before none", "This visitor before none"):
        assert said in text
    add_submissions(world, 1, session_id=None)
    assert "This visitor before unknown (sent without a session)" in owner.see(path_of(world))


def test_ladder_says_how_far_a_visitor_has_come_and_that_a_rejection_broke_it(world, owner):
    world.configure(trust_after=3, cooldown_s=0)
    past = {"session_id": "s" * 20}
    add_submissions(world, 1, "approved", **past)
    world.clock.forward(minutes=1)
    add_submissions(world, 1, **past)
    assert "1 of 3 approvals by hand" in owner.see(path_of(world))

    add_submissions(world, 3, "rejected", **past)
    text = owner.see(path_of(world))
    assert "1 of 3 approvals by hand, but rejected since" in text
    assert "This visitor before 1 approved, 3 rejected" in text


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("known", "sent"),
    [
        ("Alice", "Аlice"),  # a Cyrillic A
        ("Alice", "A1i_ce."),
        ("marian", "rnarian"),
        ("José", "Jose"),
    ],
)
def test_name_that_looks_like_one_on_the_page_is_pointed_out(world, owner, known, sent):
    world.track(Visitor().address, alias=known)
    add_submissions(world, 1, nickname=sent)

    text = owner.see(path_of(world))
    assert f"Looks like {known}" in text
    assert "on the page" in text
    add_submissions(world, 1, nickname=sent.upper())
    assert owner.see(path_of(world)).count("also waiting") == 2


def test_other_name_and_the_same_wallet_are_not_pointed_out(world, owner):
    visitor = Visitor()
    world.track(Visitor().address, alias="Bob")
    world.track(visitor.address, alias="Alice")
    add_submissions(world, 1, nickname="Alice", wallet_address=visitor.address)

    assert "Looks like" not in owner.see(path_of(world))


def test_hostile_names_are_shown_as_text(world, owner):
    add_submissions(world, 1, nickname=HOSTILE)
    world.track(Visitor().address, alias=HOSTILE)
    (gone,) = add_submissions(world, 1, nickname=HOSTILE)
    answer = decide(owner, "reject", gone)

    for answer in (
        owner.get(path_of(world)),
        decide(owner, "approve", gone),
        owner.get(path_of(world) + "?tab=decided"),
    ):
        assert HOSTILE not in answer.text
        assert "&lt;script&gt;" in answer.text


# Deciding


def test_decision_returns_to_the_part_that_was_looked_at(world, owner):
    (only,) = add_submissions(world, 1)
    query = f"?order=oldest&after=1700000000000-{'a' * 20}"

    assert decide(owner, "approve", only, query=query).location == path_of(world) + query


def test_second_tab_is_told_what_happened_and_nothing_flips(world, owner):
    submission_id = send(world, "Alice")
    decide(owner, "approve", submission_id)
    answer = decide(owner, "reject", submission_id)

    assert answer.status_code == 409
    text = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
    assert "1 couldn't be decided: Alice" in text
    assert "already approved, Jan 31, 2026, 9:30 AM UTC" in text
    assert status_of(submission_id) == "approved"


@pytest.mark.databases("sqlite", "postgres")
def test_more_ids_than_a_statement_takes_is_a_sentence(world, owner):
    waiting = send(world)

    for count, status, said in (
        (1_000, 409, "At most 1,000 submissions"),
        (70_000, 413, "too large"),  # Postgres takes 65,535 parameters
    ):
        ids = [f"{number:020}" for number in range(count)]
        for answer in (decide(owner, "approve", waiting, *ids), undo(owner, waiting, *ids)):
            assert answer.status_code == status
            assert said in answer.text
    assert status_of(waiting) == "pending"


@pytest.mark.parametrize("decision", ["", "delete", "\0"])
def test_decision_that_is_none_or_on_nothing_is_a_sentence(world, owner, decision):
    (only,) = add_submissions(world, 1)
    sentence = "Choose at least one submission first."

    assert decide(owner, decision, only).status_code == 422
    answer = decide(owner, "approve")
    assert answer.status_code == 422
    assert sentence in answer.text
    assert ask(owner, "decide", decision="approve").json == {"mistake": sentence}
    assert status_of(only) == "pending"


@pytest.mark.parametrize("raw", ["", "\0", "x" * 5000, "\ud800", "a" * 20])
def test_ids_that_are_none_are_not_found(world, owner, raw):
    (only,) = add_submissions(world, 1)
    raw_bytes = raw.encode("utf-8", "surrogatepass")

    assert decide(owner, "approve", only, raw_bytes).status_code == 404
    assert undo(owner, raw_bytes).status_code == 404
    assert status_of(only) == "pending"


# Undoing


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_undo_lets_it_wait_again_as_if_nothing_had_been(world, owner, decision):
    submission_id = send(world, "Alice")
    before = world.dump()
    decide(owner, decision, submission_id)
    assert offered_undo(owner) == f"{'Approved' if decision == 'approve' else 'Rejected'} Alice."
    world.clock.forward(minutes=9)

    assert undo(owner, submission_id).status_code == 303
    assert world.dump()["submission"] == before["submission"]
    assert world.dump()["wallet"] == before["wallet"]
    assert offered_undo(owner) is None


def test_undo_is_offered_for_ten_minutes(world, owner):
    submission_id = send(world, "Alice")
    decide(owner, "approve", submission_id)

    world.clock.forward(minutes=10)
    assert offered_undo(owner) is None  # not at the bottom of every page that is opened meanwhile
    assert [one["ids"] for one in list_undoable(owner)] == [[submission_id]]
    world.clock.forward(seconds=0.1)
    assert list_undoable(owner) == []
    answer = undo(owner, submission_id)
    assert answer.status_code == 409
    assert "It's too late to undo this." in read_text(answer)


@pytest.mark.parametrize(
    ("tab", "keys", "mentions"),
    [("waiting", "j k a r R b x X Escape o u ?", True), ("decided", "j k o u ?", False),
     ("turned-away", "j k o ?", False)],
)  # fmt: skip
def test_tab_has_its_own_keys_and_what_was_decided_in_it(world, owner, tab, keys, mentions):
    decide(owner, "approve", send(world, "Alice"))
    page = owner.get(path_of(world) + f"?tab={tab}").text

    assert f'data-keys="{keys}"' in page
    assert ("Approved <bdi" in re.search(r'class="toast".*', page, re.DOTALL)[0]) == mentions


def test_last_ten_decisions_are_undone_one_by_one(world, owner):
    decided = []
    for number in range(11):
        ids = add_submissions(world, 30) if number == 5 else [send(world, f"Visitor {number}")]
        world.clock.forward(seconds=1)
        decide(owner, "approve" if number % 2 else "reject", *ids)
        decided.append(ids)
    offered = list_undoable(owner)

    assert [set(one["ids"]) for one in offered] == [set(ids) for ids in decided[:0:-1]]
    assert offered_undo(owner) == "Rejected Visitor 10."
    for ids in decided[:0:-1]:
        assert undo(owner, *ids).status_code == 303
    assert list_undoable(owner) == [{"decision": "reject", "ids": decided[0], "name": "Visitor 0"}]


def test_decisions_of_others_are_not_offered_to_undo(world, owner):
    world.approve(send(world))
    submission_id = send(world)
    decide(owner, "approve", submission_id)
    world.clock.forward(minutes=1)
    world.undo(submission_id, actor="other@example.com")
    world.reject(submission_id)

    assert list_undoable(owner) == []


def test_decided_one_has_its_own_undo(world, owner):
    first, second = send(world, "First"), send(world, "Second")
    decide(owner, "approve", first)
    decide(owner, "reject", second)
    page = owner.get(path_of(world) + "?tab=decided").text

    assert set(re.findall(r'value="(\w{20})" form="undo-one"', page)) == {first, second}
    world.clock.forward(minutes=11)
    assert 'form="undo-one"' not in owner.get(path_of(world) + "?tab=decided").text


# Telling why


@pytest.mark.parametrize(
    ("reason", "text", "stored"),
    [
        ("", "left over", (None, None)),
        ("low_balance", "left over", ("low_balance", None)),
        ("own", " Ask me <b>first</b>. ", (None, "Ask me <b>first</b>.")),
    ],
)
def test_reason_is_picked_or_written(world, owner, reason, text, stored):
    submission_id = send(world, "Alice")
    fields = {"ids": submission_id, "decision": "reject", "reason": reason, "reason_text": text}

    assert owner.post(path_of(world, "decide"), **fields).status_code == 303
    one = Submission.get_by_id(submission_id)
    assert (one.status, one.reason_code, one.reason_text) == ("rejected", *stored)
    shown = stored[1] or {"low_balance": "The wallet holds too few tokens."}.get(stored[0], "")
    assert shown in owner.see(path_of(world) + "?tab=decided")


def test_reason_that_cannot_be_shown_decides_nothing(world, owner):
    submission_id = send(world)
    fields = {"ids": submission_id, "decision": "reject", "reason": "own", "reason_text": "x" * 201}
    answer = owner.post(path_of(world, "decide"), **fields)

    assert answer.status_code == 422
    assert "The reason is longer than 200 characters." in read_text(answer)
    assert status_of(submission_id) == "pending"


# Answers for the script


def ask(owner, what: str, **fields):
    data = {"csrf_token": owner.token} | fields
    headers = {"Accept": "application/json"}
    return owner.client.post(path_of(owner.world, what), data=data, headers=headers)


def test_script_is_told_what_was_not_changed_and_the_counts(world, owner):
    first, second = send(world, "First"), send(world, "Second")
    gone = Visitor()
    withdrawn = send(world, visitor=gone)
    world.reject(first)
    world.withdraw(gone)
    answer = ask(owner, "decide", ids=[first, second, withdrawn], decision="approve")

    assert answer.status_code == 200
    assert answer.json == {
        "unchanged": [
            {
                "id": first,
                "sentence": "It is already rejected, Jan 31, 2026, 9:30\u202fAM UTC.",
                "isWaiting": False,
            },
            {
                "id": withdrawn,
                "sentence": "The wallet's holder withdrew it.",
                "isWaiting": False,
            },
        ],
        "counts": {"waiting": 0, "decided": 2, "turned-away": 0},
        "clear": answer.json["clear"],
    }
    counts = {"waiting": 1, "decided": 1, "turned-away": 0}
    undone = ask(owner, "undo", ids=second).json
    assert (undone["unchanged"], undone["counts"]) == ([], counts)


# Searching


@pytest.mark.databases("sqlite", "postgres")
def test_search_finds_by_name_address_and_visitor_in_each_tab(world, owner):
    (ann,) = add_submissions(world, 1, nickname="Ann of Arc")
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
    assert find(f"{address[:4]}…{address[-4:]}") == find(f"{address[:4]}..{address[-4:]}") == [ann]
    assert "Nothing matches “ <nobody> ”." in owner.see(path_of(world) + "?q=<nobody>")


@pytest.mark.databases("sqlite", "postgres")
def test_search_finds_names_of_all_languages(world, owner):
    sent = {name: add_submissions(world, 1, nickname=name) for name in TYPED_BY_NAME}

    for name, typed in TYPED_BY_NAME.items():
        page = owner.get(path_of(world), query_string={"q": typed})
        assert list_shown(page) == sent[name], typed


def test_search_stays_in_every_address(world, owner):
    ids = add_submissions(world, 60, nickname="Same & same")
    query = {"q": "same & same", "order": "oldest"}
    page = owner.get(path_of(world), query_string=query).text

    assert list_shown(owner.get(path_of(world), query_string=query)) == ids[:40]
    links = re.findall(r'href="([^"]*/queue\?[^"]*(?:tab|after)=[^"]*)"', page)
    assert len(links) == 3
    assert all("q=same+%26+same" in link for link in links)
    decided = decide(owner, "approve", ids[0], query="?q=same+%26+same&order=oldest")
    assert decided.location == f"{path_of(world)}?order=oldest&q=same+%26+same"


# What visitors withdrew


@pytest.mark.databases("sqlite", "postgres")
def test_queue_says_how_many_were_withdrawn_lately(world, owner):
    assert "Withdrawn" not in owner.see(path_of(world))
    visitor = Visitor()
    send(world, visitor=visitor)
    world.withdraw(visitor)
    sentence = "Withdrawn by wallet holders in the last 30 days: 1."
    assert sentence in owner.see(path_of(world))
    world.clock.forward(days=30, milliseconds=1)
    owner.sign_in_again()

    assert "Withdrawn" not in owner.see(path_of(world))


def test_deciding_on_what_was_withdrawn_is_a_sentence(world, owner):
    visitor = Visitor()
    withdrawn, other = send(world, visitor=visitor), send(world, "Other")
    world.withdraw(visitor)

    answer = decide(owner, "approve", withdrawn, other)

    assert answer.status_code == 409
    assert "Withdrawn by the wallets' holders: 1." in read_text(answer)
    assert status_of(other) == "approved"


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_undoing_what_was_withdrawn_is_a_sentence(world, owner, decision):
    visitor = Visitor()
    submission_id = send(world, "Gone Girl", visitor=visitor)
    decide(owner, decision, submission_id)
    world.withdraw(visitor)

    answer = undo(owner, submission_id)

    assert answer.status_code == 409
    gone = "by the wallets' holders: 1" if decision == "approve" else "holder withdrew it"
    assert gone in answer.text
    assert visitor.address not in owner.get(path_of(world)).text
    world.clock.forward(minutes=1)  # the offer to undo names it for ten seconds
    text = owner.see(path_of(world) + "?tab=decided")
    assert ("Name withdrawn" in text) == (decision == "reject")
    assert "Gone Girl" not in text
