"""The deny list in the dashboard, and blocking in the queue without a script."""

import pytest
from queue_pages import decide, undo
from support.owner_browser import read_text
from support.world import Visitor, with_session

from embed.db.models import Block, Submission
from embed.submissions.deny_list import block_for_person, block_on_page

pytestmark = pytest.mark.slow


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/settings/rules", *more])


def add(owner, pattern: str, **fields: str):
    fields = {"scope": "page", "pattern": pattern} | fields
    return owner.post(path_of(owner.world, "deny-list"), **fields)


@pytest.mark.parametrize(
    ("scope", "said"), [("page", "Name, on this page"), ("all", "Name, on all your pages")]
)
def test_entry_is_added_listed_with_its_author_and_removed(world, owner, scope, said):
    assert add(owner, " *Scam** ", scope=scope).status_code == 303

    there = owner.make_page() if scope == "all" else world.page_id
    rules = f"/dashboard/pages/{there}/settings/rules"
    shown = owner.see(rules)
    assert f"{said}, since" in shown
    assert owner.email in shown
    made = Block.get()
    assert (made.page_id, made.person) == {
        "page": (world.page_id, None),
        "all": (None, owner.owner),
    }[scope]
    assert owner.post(f"{rules}/deny-list/{made.id}/remove").status_code == 303
    assert not Block.select().exists()
    assert "*scam* is no longer blocked." in owner.see(rules)


@pytest.mark.parametrize(
    ("raw", "kind", "said"),
    [
        ("{listed}", "wallet", "Already on the list, where it stays: Admin 2"),
        ("https://solscan.io/account/{other}?x", "wallet", "It isn't on the list."),
        ("3.14", "name", "None of the 2 names that were compared is like that."),
        ("*admin*", "name", "where it stays: Admin 2"),
        ("2001:db8::/48", "network", "Refuses submissions from there."),
    ],
)
def test_entry_is_recognized_by_its_form_and_shown_first(world, owner, raw, kind, said):
    listed, other = Visitor().address, Visitor().address
    world.track(listed, alias="Admin 2")
    world.track(Visitor().address, alias="Ferry")
    pattern = raw.format(listed=listed, other=other)

    preview = add(owner, pattern, preview="")

    assert preview.status_code == 200
    assert said in read_text(preview)
    assert not Block.select().exists()
    assert add(owner, pattern).status_code == 303
    assert Block.get().kind == kind


def test_editor_changes_the_pages_list_and_reaches_no_other(world, owner, stranger, make_member):
    editor = make_member("editor")
    elsewhere = block_on_page(stranger.make_page(), "name", "bot*", world.change())
    everywhere = block_for_person(owner.owner, "name", "secret*", world.change())
    of_editor = block_for_person(editor.owner, "name", "own*", world.change())

    assert add(editor, "bot*").status_code == 303
    assert add(editor, "all*", scope="all").status_code == 303  # there is no such field

    page = editor.get(path_of(world)).text
    assert "secret*" not in page
    assert "own*" not in page
    assert "on all my pages" not in page
    assert {one.pattern for one in Block.select().where(Block.page == world.page_id)} == {
        "bot*",
        "all*",
    }
    for made in (everywhere, of_editor, elsewhere):
        assert editor.post(path_of(world, "deny-list", made.id, "remove")).status_code == 404


def test_reviewer_blocks_in_the_queue_and_reads_the_list(world, owner, make_member):
    reviewer, visitor = make_member("reviewer"), with_session(world)
    submission_id = world.submit(visitor, "Bob").json["submissionId"]

    decide(reviewer, "block", submission_id, reason="not_for_list")

    submission = Submission.get_by_id(submission_id)
    assert (submission.status, submission.reason_code) == ("rejected", "not_for_list")
    assert "Rejected and blocked Bob" in reviewer.see(f"/dashboard/pages/{world.page_id}/queue")
    assert visitor.address in reviewer.get(path_of(world)).text
    assert "Address, *name* or network" not in reviewer.see(path_of(world))
    assert visitor.address not in make_member("viewer").get(path_of(world)).text
    assert undo(reviewer, submission_id).status_code == 303
    assert not Block.select().exists()
