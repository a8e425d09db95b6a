"""Wallets as files: export and import."""

import csv
import html
import io
import re

import pytest
from support.owner_browser import read_text
from support.world import USDC, Visitor
from wallet_pages import latest_entry, make_address, path_of, read_all
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from embed.db.connection import db
from embed.wallets import imports
from embed.web.dashboard import wallet_files

pytestmark = pytest.mark.slow


def check_file(owner, text: str | bytes, **fields):
    raw = text.encode() if isinstance(text, str) else text
    return post_parts(owner, "import", file=FileStorage(io.BytesIO(raw), "wallets.csv"), **fields)


def post_parts(owner, path: str, **fields):
    boundary, body = encode_multipart({"csrf_token": owner.token} | fields)
    mimetype = f"multipart/form-data; boundary={boundary}"
    return owner.client.post(path_of(owner.world, path), data=body, content_type=mimetype)


def read_carried(answer) -> list[str]:
    """Return the hidden fields of the dry run, as a browser would send them."""
    fields = re.findall(r'<textarea name="text"[^>]*>\n?(.*?)</textarea>', answer.text, re.DOTALL)
    return [re.sub("\r\n?|\n", "\r\n", html.unescape(inner)) for inner in fields]


def import_file(owner, text: str, **fields):
    checked = check_file(owner, text, **fields)
    assert checked.status_code == 200, checked.text
    return post_parts(owner, "import/apply", text=read_carried(checked), **fields)


def export(owner) -> str:
    answer = owner.get(path_of(owner.world) + ".csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    return answer.data.decode("utf-8-sig")


def test_export_is_imported_exactly_into_another_page(world, owner):
    world.add_tag("a;b")
    world.add_tag("=cmd")
    world.track(
        make_address(), alias="=1+1", tag_names=["a;b", "=cmd"], balance="0.30000000000000004"
    )
    world.track(make_address(), alias="'=quoted", is_hidden=True)
    world.track(make_address(), alias='Zoë, "x"', tag_names=["=cmd"])
    kept, text = read_all(world), export(owner)
    for row in csv.reader(io.StringIO(text)):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    world.page_id = owner.make_page()

    assert import_file(owner, text, makes_tags="y").status_code == 303

    assert read_all(world) == kept
    assert "already match the page" in check_file(owner, text).text


@pytest.mark.parametrize("length", [32_766, 32_767, 32_768])
def test_text_comes_back_exactly_wherever_it_is_cut(owner, length):
    text = f"{USDC},Name".ljust(length) + f"\r\n{make_address()},Zoë\r\n"

    carried = read_carried(check_file(owner, text))

    assert len(carried) == 2
    assert "".join(carried) == text


def read_outcomes(answer) -> list[str]:
    """Return what happens to the first rows."""
    rows = re.search(r'<tbody id="rows">(.*?)</tbody>', answer.text, re.DOTALL)[1]
    return [html.unescape(said) for said in re.findall(r'class="pill[^>]*>(.*?)<', rows)]


def test_file_is_shown_as_it_is_read_and_imported_without_its_bad_lines(world, owner):
    world.add_tag("team")
    world.track(USDC, alias="Old")
    before, new = world.dump(), [make_address() for _ in range(3)]
    rows = [
        f"{new[0]};Low Tide;team;5.120,50;2026-08-02",
        f"{new[1]};<b>;watch;730;2026-08-03",
        f"{USDC};Treasury;team;144.884,63;2026-08-03",
        "0x71C7656EC7ab88b098defB751B7401B5f6d8976F;Pier 9;;12;2026-08-11",
        f"{new[0]};Low Tide;;1;2026-08-11",
        f"{new[2]};Zoë;;;2026-08-11",
    ]
    text = "holder;label;group;amount;joined\n" + "\n".join(rows)

    checked = check_file(owner, text.encode("cp1252"))

    for said in (
        "wallets.csv 6 rows, 5 columns, separated by semicolons",
        "Low Tide team 5,120.5 2026-08-02 new",
        "The first 5 of 6 rows.",
        "Line 4: The wallet is already on the list.",
        "Line 6: The address is already on line 2.",
        "Create 1 tag: watch",
        "Import 3, skip 3",
    ):
        assert said in read_text(checked)
    outcomes = ["new", "new", "skip: on the list", "skip: no address", "skip: repeated"]
    assert read_outcomes(checked) == outcomes
    assert "<b>" not in checked.text
    assert world.dump() == before

    answer = post_parts(owner, "import/apply", text=read_carried(checked), makes_tags="y")

    assert "3 added, 0 changed, 3 skipped." in read_text(owner.get(answer.location))
    assert read_all(world) == {
        USDC: ("Old", set(), False, 0.0),
        new[0]: ("Low Tide", {"team"}, False, 5120.5),
        new[1]: ("<b>", {"watch"}, False, 730.0),
        new[2]: ("Zoë", set(), False, 0.0),
    }


def test_wallets_on_the_list_are_changed_only_if_the_owner_says_so(world, owner):
    for address in (same := make_address(), USDC):
        world.track(address, alias="Old")
    text = f"wallet,name\n{USDC},New\n{same},Old"

    checked = check_file(owner, text)
    assert read_outcomes(checked) == ["skip: on the list", "skip: no change"]
    assert "Import" not in read_text(checked).partition("line by line")[2]
    checked = check_file(owner, text, changes_listed="y")
    assert read_outcomes(checked) == ["changed", "skip: no change"]
    assert "Import 1, skip 1" in read_text(checked)
    world.clock.forward(seconds=1)
    import_file(owner, text, changes_listed="y")

    assert [read_all(world)[address][0] for address in (USDC, same)] == ["New", "Old"]
    assert latest_entry(world) == (owner.email, "import wallets", "0 added, 1 changed")


def test_columns_that_the_owner_corrects_are_shown_before_they_are_imported(world, owner):
    text = f"{USDC},1000,Low Tide\n{make_address()},1001.5,Ferry"
    first = check_file(owner, text)
    assert re.findall(r'value="(\w*)" selected', first.text) == ["address", "balance", "alias"]
    chosen = ["address", "alias", "tags"]
    fields = {"text": read_carried(first), "column": chosen, "makes_tags": "y"}

    shown = post_parts(owner, "import/apply", checked="address,balance,alias", **fields)

    assert "1000 Low Tide new" in read_text(shown)
    assert 'name="checked" value="address,alias,tags"' in shown.text
    assert read_all(world) == {}
    assert post_parts(owner, "import/apply", checked=",".join(chosen), **fields).status_code == 303
    assert read_all(world)[USDC] == ("1000", {"Low Tide"}, False, 0.0)


def test_page_that_changed_since_the_dry_run_is_checked_again(world, owner):
    tag = world.add_tag("team")
    text = f"{make_address()},,team"
    checked = check_file(owner, text)
    owner.post(f"/dashboard/pages/{world.page_id}/wallets/tags/{tag.id}/remove")

    answer = owner.post(path_of(world, "import/apply"), text=read_carried(checked))

    assert answer.status_code == 422
    assert "has no tag team" in answer.text
    assert "Check again" in answer.text
    assert read_all(world) == {}


def test_file_that_is_missing_empty_or_too_large_is_a_clear_message(world, owner):
    assert "Choose a file" in owner.post(path_of(world, "import")).text
    assert "no wallets in this file" in check_file(owner, b"").text
    for answer in (
        owner.post(path_of(world, "import/apply"), text="x" * 18_000_000),
        check_file(owner, b"x" * (16 * 1024 * 1024 + 1)),
        check_file(owner, b"\xe9" * 9_000_000),  # larger as UTF-8
    ):
        assert answer.status_code == 413
        assert "16 MB" in answer.text


def test_table_is_compared_before_others_wait_and_again_if_one_of_them_changed_the_page(
    world, owner, monkeypatch
):
    address, compare, were_locked = make_address(), imports.plan_import, []

    def plan_import(*arguments, **settings):
        plan = compare(*arguments, **settings)
        were_locked.append(db.in_transaction())
        if were_locked == [False, False]:  # checked, and about to be applied
            world.track(address)
        return plan

    monkeypatch.setattr(imports, "plan_import", plan_import)
    answer = import_file(owner, f"{address},Whale", changes_listed="y")

    assert were_locked == [False, False, True]
    assert "0 added, 1 changed" in read_text(owner.get(answer.location))


def test_import_that_finds_another_at_work_can_be_sent_again_as_it_is(world, owner):
    text = read_carried(check_file(owner, f"{Visitor().address},<b>\n{Visitor().address},A\n"))
    export = f"/dashboard/pages/{world.page_id}/wallets.csv"
    with wallet_files._one_at_a_time:
        refused = post_parts(owner, "import/apply", text=text, changes_listed="y")
        for answer in (refused, check_file(owner, Visitor().address), owner.get(export)):
            assert answer.status_code == 429
            assert int(answer.headers["Retry-After"]) > 0

    form = refused.text.partition("multipart/form-data")[2].partition("Try again")[0]
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    assert list(hidden) == ["csrf_token", "text", "changes_listed"]
    sent = {"text": html.unescape(hidden["text"]), "changes_listed": "y"}
    answer = post_parts(owner, "import/apply", **sent)
    assert "2 added" in read_text(owner.get(answer.location))
    assert owner.get(export).status_code == 200
