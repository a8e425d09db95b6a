"""The page's wallets: list, forms, bulk actions, export and import."""

import csv
import html
import io
import re

import pytest
from support.owner_browser import read_text
from support.world import USDC, Visitor, read_log
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from embed import pages
from embed.balances.tokens import store_refusal
from embed.db.connection import db
from embed.db.models import Tag, Wallet
from embed.wallets import bulk, imports, tracking
from embed.web.dashboard import wallet_files

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script>"


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/wallets", *more])


def make_address() -> str:
    return Visitor().address


def list_shown(owner, **search: object) -> list[str]:
    """Return the names on the page, in their order."""
    answer = owner.get(path_of(owner.world), query_string=search)
    assert answer.status_code == 200
    return [name for name, _ in read_rows(answer.text)]


def read_rows(text: str) -> list[tuple[str, str]]:
    """Return the name in each row, and the row."""
    rows = re.findall(r'<th scope="row">.*?</tr>', text, re.DOTALL)
    return [(re.search(r'title="[^"]*">(?:<code[^>]*>)?([^<]+)<', row)[1], row) for row in rows]


def read_all(world) -> dict[str, tuple]:
    found = tracking.list_wallets(world.page, world.balances)
    return {
        one.address: (
            one.public_alias,
            {tag.name for tag in one.tags},
            one.is_hidden,
            one.token_balance,
        )
        for one in found
    }


def add_submissions(world, count: int) -> None:
    with db.atomic():
        for number in range(count):
            world.clock.forward(milliseconds=1)
            world.track(make_address(), alias=f"Wallet {number:03}")


def latest_entry(world) -> tuple[str, str, str]:
    entry = read_log(world.page_id)[0]
    return entry.actor, entry.action, entry.subject


# The list


@pytest.mark.databases("sqlite", "postgres")
def test_search_finds_by_name_address_tag_and_visibility(world, owner):
    tag = world.add_tag("team")
    one = world.track(make_address(), alias="Treasury", tag_names=["team"])
    world.track(make_address(), alias="100% <b>_name", is_hidden=True)

    assert list_shown(owner, q="treaSURY") == ["Treasury"]
    assert list_shown(owner, q=one.address[4:20]) == ["Treasury"]
    assert list_shown(owner, q="0% <") == list_shown(owner, q="_") == ["100% &lt;b&gt;_name"]
    assert list_shown(owner, q="nothing\0 like it") == []
    assert list_shown(owner, tag=tag.id) == list_shown(owner, hidden="no") == ["Treasury"]
    assert list_shown(owner, hidden="yes") == ["100% &lt;b&gt;_name"]
    assert owner.get(path_of(world), query_string={"tag": "A" * 20}).status_code == 404
    assert "match" not in owner.see(path_of(world) + "?sort=name")
    text = owner.see(path_of(world) + "?q=treasury")
    assert "Wallets 2 " in text
    assert "1 wallet matches. Show all" in text


@pytest.mark.databases("sqlite", "postgres")
def test_what_the_holding_watch_found_is_marked_and_can_be_searched_for(world, owner):
    for alias, marks in {
        "Flagged": {"low_count": 2},
        "Withheld": {"low_count": 2, "is_withheld": True},
        "Low once": {"low_count": 1},
    }.items():
        wallet = world.track(make_address(), alias=alias)
        Wallet.update(marks).where(Wallet.id == wallet.id).execute()
    marks = {
        name: re.findall(r'<span class="pill[^"]*">([^<]*)</span>', row)
        for name, row in read_rows(owner.get(path_of(world)).text)
    }

    assert marks == {
        "Flagged": ["below the minimum"],
        "Withheld": ["hidden: below the minimum"],
        "Low once": [],
    }
    assert set(list_shown(owner, hidden="flagged")) == {"Flagged", "Withheld"}


def test_mint_that_the_chain_refused_is_told_where_the_chain_is_used(world, owner):
    store_refusal(USDC, f"{USDC} is not the mint of a token.")
    sentence = f"Balances can't be read: {USDC} is not the mint of a token."
    assert sentence not in owner.get(path_of(world)).text

    world.use_endpoint("https://rpc.example")

    assert sentence in owner.get(path_of(world)).text


@pytest.mark.databases("sqlite", "postgres")
def test_list_comes_in_hundreds(world, owner):
    add_submissions(world, 201)

    assert list_shown(owner) == [f"Wallet {number:03}" for number in range(100)]
    assert list_shown(owner, page=3) == ["Wallet 200"]
    assert list_shown(owner, page=99) == ["Wallet 200"]
    assert list_shown(owner, page=-1) == list_shown(owner, page="x") == list_shown(owner)
    text = owner.get(path_of(world) + "?q=wallet&page=2").text
    assert 'href="?q=wallet&amp;page=3"' in text
    (form,) = re.findall(r'<form method="get" class="row">.*?</form>', text, re.DOTALL)
    assert '<input type="hidden" name="q" value="wallet">' in form
    assert 'name="page" min="1" max="3" value="2"' in form


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("balance", ["Poor", "some", "Rich"]),
        ("-balance", ["Rich", "some", "Poor"]),
        ("name", ["Poor", "Rich", "some"]),
        ("-name", ["some", "Rich", "Poor"]),
        ("", ["Rich", "some", "Poor"]),
        ("created_at; DROP", ["Rich", "some", "Poor"]),
    ],
)
def test_list_is_sorted_as_the_address_says(world, owner, sort, names):
    for alias, balance in {"some": "9.5", "Rich": "10", "Poor": "0.1"}.items():
        world.track(make_address(), alias=alias, balance=balance)

    assert list_shown(owner, sort=sort) == names


def test_headings_sort_and_turn_round_and_keep_the_search(world, owner):
    add_submissions(world, 101)

    def read_headings(**search):
        text = owner.get(path_of(world), query_string=search).text
        found = r'<th scope="col"[^>]*?(?:aria-sort="(\w+)")?><a href="([^"]+)">(\w+)'
        return {name: (way, html.unescape(to)) for way, to, name in re.findall(found, text)}

    assert read_headings() == {
        "Wallet": ("", "?sort=name"),
        "Balance": ("descending", "?sort=balance"),
    }
    assert read_headings(q="wallet 1", sort="name", hidden="no", page=2) == {
        "Wallet": ("ascending", "?q=wallet+1&hidden=no&sort=-name"),
        "Balance": ("", "?q=wallet+1&hidden=no&sort=-balance"),
    }
    text = owner.get(path_of(world), query_string={"sort": "name"}).text
    assert '<input type="hidden" name="sort" value="name">' in text
    assert 'href="?sort=name&amp;page=2"' in text


# One by one


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"address": "nonsense"}, "address", "isn't a Solana address"),
        ({"address": f"{USDC[:6]}0{USDC[7:]}"}, "address", "“0” at place 7 isn't used"),
        ({"address": ""}, "address", "Enter the wallet's address."),
        ({"address": USDC}, "address", "already"),
        ({"alias": "x" * 101}, "alias", "100"),
        ({"balance": "many"}, "balance", "0 or more, such as 1250.5"),
    ],
)
def test_bad_wallet_is_refused_beside_the_field_with_what_was_typed(
    world, owner, fields, field, said
):
    wallet = world.track(USDC)
    before = read_all(world)
    sent = {"address": make_address(), "alias": "Kept name"} | fields

    for path in ("new", wallet.id)[: 1 if field == "address" else 2]:
        answer = owner.post(path_of(world, path), **sent)

        assert answer.status_code == 422
        beside = re.search(rf'id="{field}-wrong">(.*?)</p>', answer.text, re.DOTALL)[1]
        assert said.lower() in html.unescape(beside).lower()
        assert f'value="{sent[field]}"' in answer.text
        assert ("Kept name" in answer.text) == (field != "alias")
    assert owner.post(path_of(world, "new"), **sent, tag_names="no such tag").status_code == 422
    assert read_all(world) == before


def test_wallet_is_added_edited_and_after_a_question_removed(world, owner):
    world.add_tag("team")
    address = make_address()
    fields = {"alias": "Treasury", "tag_names": ["team"], "balance": "12.5", "is_hidden": "y"}
    pasted = f"\u200bhttps://solscan.io/account/{address}?cluster=mainnet{'#' * 60}\r\n"
    assert owner.post(path_of(world, "new"), address=pasted, **fields).status_code == 303
    assert read_all(world) == {address: ("Treasury", {"team"}, True, 12.5)}

    path = path_of(world, Wallet.get().id)
    assert 'value="Treasury"' in owner.get(path).text
    assert owner.post(path, alias="New", balance="3").status_code == 303
    assert read_all(world) == {address: ("New", set(), False, 3.0)}

    assert "Remove New?" in owner.see(f"{path}/remove")
    assert owner.post(f"{path}/remove").status_code == 303
    assert read_all(world) == {}
    assert owner.get(path).status_code == 404


# Many at once


def change(owner, what: str, ids: list[str], **fields):
    return owner.post(path_of(owner.world, "change"), change=what, wallet=ids, **fields)


@pytest.mark.databases("sqlite", "postgres")
def test_tag_that_is_removed_meanwhile_is_a_clear_message(world, owner, monkeypatch):
    tag, wallet = world.add_tag("team"), world.track(make_address())
    editing = bulk.editing

    def remove_and_edit(*arguments):
        Tag.delete().execute()
        return editing(*arguments)

    monkeypatch.setattr(bulk, "editing", remove_and_edit)

    assert change(owner, "tag", [wallet.id], tag=tag.id).status_code == 404


@pytest.mark.databases("sqlite", "postgres")
def test_all_that_match_are_changed_wherever_they_are_in_the_list(world, owner):
    add_submissions(world, 101)
    kept = world.track(make_address(), alias="Treasury")
    version = world.page.version
    world.clock.forward(seconds=1)
    path = path_of(world, "change") + "?q=wallet&page=2"

    asked = owner.post(path, change="hide", matching="yes", wallet=[kept.id])

    assert asked.status_code == 200
    assert "Hide 101 wallets?" in asked.text
    assert "all wallets that match your search" in asked.text
    assert world.page.version == version
    add_submissions(world, 1)
    world.clock.forward(seconds=1)
    answer = owner.post(path, change="hide", matching="yes", sure="yes")
    assert answer.headers["Location"] == f"{path_of(world)}?q=wallet&page=2"
    assert "102 wallets have been hidden." in owner.see(path_of(world))
    assert list_shown(owner, hidden="no") == ["Treasury"]
    assert latest_entry(world) == (owner.email, "hide wallets", "102")


@pytest.mark.parametrize(
    ("what", "question", "told"),
    [
        ("show", "Show 2 wallets?", "2 wallets are visible again."),
        ("tag", "Add the tag team to 2 wallets?", "2 wallets have been tagged."),
        (
            "untag",
            "Remove the tag team from 2 wallets?",
            "The tag has been removed from 2 wallets.",
        ),
        ("remove", "Remove 2 wallets?", "2 wallets have been removed."),
    ],
)
def test_each_change_of_all_that_match_is_confirmed_and_told(
    world, owner, stranger, what, question, told
):
    tag = world.add_tag("team")
    for _ in range(2):
        world.track(make_address(), is_hidden=True)
    world.track(make_address(), alias="Not hidden")
    theirs = world.track(make_address(), page_id=stranger.make_page(), is_hidden=True)
    path = path_of(world, "change") + "?hidden=yes"
    chosen = {"change": what, "matching": "yes"} | ({"tag": tag.id} if "tag" in what else {})

    asked = owner.post(path, **chosen)
    assert question in asked.text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', asked.text))
    assert fields == chosen | {"sure": "yes"}
    owner.post(path, **fields)

    assert told in owner.see(path_of(world))
    assert len(read_all(world)) == (1 if what == "remove" else 3)
    assert Wallet.get_by_id(theirs.id).is_hidden


@pytest.mark.parametrize("what", ["hide", "tag", "", "explode"])
def test_change_of_nothing_or_to_nothing_is_a_clear_message(world, owner, what):
    answer = change(owner, what, [] if what == "hide" else [world.track(make_address()).id])

    assert answer.status_code == 409
    assert re.search("Select|Choose", answer.text)


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ("hide", [(set(), True)] * 2),
        ("show", [(set(), False)] * 2),
        ("tag", [({"team"}, True)] * 2),
        ("untag", [(set(), True)] * 2),
        ("remove", []),
    ],
)
def test_selected_wallets_of_this_page_are_changed(world, owner, stranger, what, left):
    tag = world.add_tag("team")
    had = {"tag_names": ["team"] if what == "untag" else [], "is_hidden": what != "hide"}
    ids = [world.track(make_address(), **had).id for _ in range(2)]
    theirs = world.track(make_address(), page_id=stranger.make_page())
    fields = {"sure": "yes"} if what == "remove" else {"tag": tag.id}
    path = path_of(world, "change") + "?q=found&page=2&next=//evil.example"

    if what == "remove":
        assert "Remove 2 wallets?" in owner.post(path, change=what, wallet=ids).text
    answer = owner.post(path, change=what, wallet=[*ids, theirs.id, "' OR 1=1", "\0"], **fields)

    assert answer.headers["Location"] == f"{path_of(world)}?q=found&page=2"
    assert [(tags, hidden) for _, tags, hidden, _ in read_all(world).values()] == left
    assert not Wallet.get_by_id(theirs.id).is_hidden


# Files


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
    before, new = world.dump(), [make_address() for _ in range(4)]
    rows = [
        f"{new[0]};Low Tide;team;5.120,50;2026-08-02",
        f"{new[1]};<b>;;730;2026-08-03",
        f"{USDC};Treasury;team;144.884,63;2026-08-03",
        f"{new[2]};Gull;watch;88,5;2026-08-09",
        "0x71C7656EC7ab88b098defB751B7401B5f6d8976F;Pier 9;;12;2026-08-11",
        f"{new[0]};Low Tide;;1;2026-08-11",
        f"{new[3]};Zoë;;;2026-08-11",
    ]
    text = "holder;label;group;amount;joined\n" + "\n".join(rows)

    checked = check_file(owner, text.encode("cp1252"))

    said = read_text(checked)
    assert "wallets.csv 7 rows, 5 columns, separated by semicolons" in said
    assert re.findall(r'value="(\w*)" selected', checked.text) == [
        *("address", "alias", "tags", "balance", "")
    ]
    assert "Low Tide team 5,120.5 2026-08-02 new" in said
    assert read_outcomes(checked) == [
        *("new", "new", "skip: on the list", "new", "skip: no address")
    ]
    assert "The first 5 of 7 rows." in said
    assert "Line 4: The wallet is already on the list." in said
    assert "Line 7: The address is already on line 2." in said
    assert "Create 1 tag: watch" in said
    assert "Import 4, skip 3" in said
    assert "<b>" not in checked.text
    assert world.dump() == before

    answer = post_parts(owner, "import/apply", text=read_carried(checked), makes_tags="y")

    assert "4 added, 0 changed, 3 skipped." in read_text(owner.get(answer.location))
    assert read_all(world) == {
        USDC: ("Old", set(), False, 0.0),
        new[0]: ("Low Tide", {"team"}, False, 5120.5),
        new[1]: ("<b>", set(), False, 730.0),
        new[2]: ("Gull", {"watch"}, False, 88.5),
        new[3]: ("Zoë", set(), False, 0.0),
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

    assert {address: alias for address, (alias, *_) in read_all(world).items()} == {
        USDC: "New",
        same: "Old",
    }
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


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["address", "alias", "alias"], "Two columns have the same meaning"),
        (["", "alias", ""], "isn't clear which column has the addresses"),
        (["address", "alias"], "Import 1"),
        (["address", "alias", "nonsense"], "Import 1"),
    ],
)
def test_columns_that_cannot_be_are_refused_or_ignored(owner, columns, said):
    text = f"wallet,name,amount\n{USDC},Low Tide,7"

    answer = post_parts(owner, "import", text=text, column=columns)

    assert said in read_text(answer)
    assert answer.text.count("<select") == 3


def test_thousands_of_alike_mistakes_are_one_sentence(owner):
    rows = [f"{make_address()},Name,tag {number % 100}" for number in range(5_965)]
    text = "\n".join(["wallet,name,tags", *rows])

    checked = check_file(owner, text)
    assert "tag 19 and 80 more" in read_text(checked)
    answer = post_parts(owner, "import", text=read_carried(checked))

    said = read_text(answer)
    assert "5,965 lines have tags that the page doesn't have. Lines 2–5,966." in said
    assert 'name="makes_tags"' in answer.text
    (listed,) = re.findall(r'<pre[^>]*id="mistakes"[^>]*>(.*?)</pre>', answer.text, re.DOTALL)
    assert listed.strip().splitlines()[-1] == "Line 5966: The page has no tag tag 64."
    assert len(listed.strip().splitlines()) == 5_965


def test_imported_balance_reaches_the_owners_other_pages_and_no_strangers(world, owner, stranger):
    address = make_address()
    other_id, strange_id = owner.make_page(), stranger.make_page()
    world.track(address, page_id=strange_id)
    world.track(address, page_id=other_id)
    key = world.make_key("secret", page_id=other_id)
    assert world.read(other_id, key=key).json["wallets"][0]["tokenBalance"] == 0

    import_file(owner, f"{address},,,,42")

    assert world.read(other_id, key=key).json["wallets"][0]["tokenBalance"] == 42
    assert world.balances.read(pages.get_page(strange_id), [address]) == {}


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


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"PK\x03\x04", "Save it as CSV, then choose that file"), (b"", "no wallets in this file")],
)
def test_file_that_cannot_be_used_is_a_clear_message(owner, raw, said):
    assert said in check_file(owner, raw).text


def test_form_without_a_file_and_a_file_that_is_too_large_are_clear_messages(world, owner):
    assert "Choose a file" in owner.post(path_of(world, "import")).text
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
    with wallet_files._one_at_a_time:
        refused = post_parts(owner, "import/apply", text=text, changes_listed="y")

    assert refused.status_code == 429
    form = refused.text.partition("multipart/form-data")[2].partition("Try again")[0]
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    assert list(hidden) == ["csrf_token", "text", "changes_listed"]
    sent = {"text": html.unescape(hidden["text"]), "changes_listed": "y"}
    assert "2 added" in read_text(
        owner.get(post_parts(owner, "import/apply", **sent).headers["Location"])
    )


def test_table_is_refused_while_another_is_read_or_written(world, owner):
    owner.confirm()
    export = f"/dashboard/pages/{world.page_id}/wallets.csv"
    with wallet_files._one_at_a_time:
        refused = check_file(owner, Visitor().address), owner.get(export)
    assert [answer.status_code for answer in refused] == [429, 429]
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)

    assert import_file(owner, Visitor().address).status_code == 303
    assert owner.get(export).status_code == 200


def test_import_asks_the_database_as_often_for_200_lines_as_for_5(world, owner, count_statements):
    def make_text(count: int) -> str:
        return "\n".join(f"{make_address()},Name,team,no,1" for _ in range(count))

    world.add_tag("team")
    few, many = make_text(5), make_text(200)

    def apply(text):
        answer = owner.post(path_of(world, "import/apply"), text=text)
        assert answer.status_code == 303

    assert owner.token  # is read before
    first = count_statements(lambda: apply(few))
    assert count_statements(lambda: apply(many)) == first
    assert len(read_all(world)) == 205
