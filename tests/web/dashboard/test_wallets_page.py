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
from embed.balances import known
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
    found = tracking.list_wallets(world.page, uses_chain=False)
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
    sentence = f"Balances cannot be read: {USDC} is not the mint of a token."
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
        ({"address": "nonsense"}, "address", "is not a wallet address"),
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
    assert owner.post(path_of(world, "new"), address=f" {address} ", **fields).status_code == 303
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
    assert "102 wallets are hidden." in owner.see(path_of(world))
    assert list_shown(owner, hidden="no") == ["Treasury"]
    assert latest_entry(world) == (owner.email, "hide wallets", "102")


@pytest.mark.parametrize(
    ("what", "question"),
    [
        ("show", "Show 2 wallets?"),
        ("tag", "Add the tag team to 2 wallets?"),
        ("untag", "Remove the tag team from 2 wallets?"),
        ("remove", "Remove 2 wallets?"),
    ],
)
def test_each_change_of_all_that_match_is_confirmed_and_told(
    world, owner, stranger, what, question
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

    assert "2 wallets are" in owner.see(path_of(world))
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


def test_dry_run_lists_every_bad_line_and_changes_nothing(world, owner):
    before = world.dump()

    answer = check_file(
        owner,
        f"address,alias,tags,balance\nbad\n{USDC},,new tag\n{USDC},,,much\n{make_address()}\n",
    )

    assert answer.status_code == 422
    said = re.findall("<h3>(.*?)</h3>", answer.text)
    assert sorted(sentence.partition(":")[0] for sentence in said) == [
        "Line 2",
        "Line 3",
        "Line 4",
        "Line 4",
    ]
    assert "Line 3: The page has no tag new tag." in said
    assert "3 lines need your attention" in answer.text
    assert world.dump() == before


def test_thousands_of_alike_mistakes_are_one_paragraph_below_the_button(owner):
    rows = [f"{make_address()},Name,tag {number % 100}" for number in range(5_965)]

    answer = check_file(owner, "\n".join(rows))

    assert answer.text.index("Create the tags and import") < answer.text.index("What is wrong")
    said = read_text(answer)
    assert "5,965 lines name tags that the page does not have." in said
    assert "Lines 1–5,965. For example: Line 1: The page has no tag tag 0." in said
    assert answer.text.count("<h3>") == 1
    assert "tag 19 and 80 more Once they exist, this file adds wallets: 5,965" in said
    (listed,) = re.findall(r'<pre[^>]*id="mistakes"[^>]*>(.*?)</pre>', answer.text, re.DOTALL)
    assert listed.strip().splitlines()[-1] == "Line 5965: The page has no tag tag 64."
    assert len(listed.strip().splitlines()) == 5_965


def test_file_that_is_wrong_throughout_is_told_so_once(owner):
    answer = check_file(owner, "\n".join(f"{make_address()};A name;team" for _ in range(50)))

    said = read_text(answer)
    assert "Nothing has changed yet: all 50 lines need your attention." in said
    assert "have no valid wallet address. Lines 1–50. For example: Line 1:" in said
    assert "may name its columns, in any order: address,alias" in said
    assert answer.text.count("Line 1") <= 3
    assert "Line 4" not in answer.text


def test_result_of_a_check_is_in_the_owners_language(owner):
    owner.post("/dashboard/account/language", language="de")
    rows = [f"{make_address()},,team" for _ in range(1_200)]
    heading = "address,alias,tags,balance,,x" + ",y" * 3 + "".join(f",z{n}" for n in range(10))
    answer = check_file(owner, "\n".join([heading, *rows, f"{USDC},,,viel"]))
    said = read_text(answer)

    assert "nicht importiert werden: Nummer 5, 'x', 'y', 'z0'" in said
    assert "'z6' und 3 weitere." in said
    assert "Noch ist nichts geändert: 1.201 Zeilen brauchen deine Aufmerksamkeit." in said
    assert "1.200 Zeilen mit Tags, die die Seite nicht hat." in said
    assert "Zeilen 2–1.201. Zum Beispiel: Zeile 2: Die Seite hat keinen Tag team." in said
    assert "Zeile 1.202: 'viel' ist kein Guthaben. Guthaben: Gib eine Zahl ganzer Token an" in said


def test_missing_tags_alone_are_offered_to_be_made(world, owner):
    checked = check_file(owner, f"{USDC},,team;watch")
    assert "Create the tags and import" in checked.text
    assert "Create the tags and import" not in check_file(owner, f"{USDC},,team\nbad").text

    owner.post(path_of(world, "import/apply"), text=read_carried(checked), makes_tags="y")

    assert read_all(world) == {USDC: (None, {"team", "watch"}, False, 0.0)}


def test_dry_run_says_what_would_happen_and_the_import_does_it(world, owner):
    world.track(USDC, alias="Old")
    before = world.dump()
    other, name = make_address(), "<b>"
    text = f"share,address,alias,tags,balance\n1,{USDC},New,,5\n1,{other},{name},team,"

    answer = check_file(owner, text, makes_tags="y")

    assert answer.status_code == 200
    said = read_text(answer)
    assert "Columns that are not imported: 'share'." in said
    assert "Wallets added: 1 Wallets changed: 1 Wallets left as they are: 0" in said
    assert "Tags created: 1 team" in said
    assert name not in answer.text
    assert world.dump() == before
    world.clock.forward(seconds=1)

    assert import_file(owner, text, makes_tags="y").status_code == 303

    assert read_all(world) == {
        USDC: ("New", set(), False, 5.0),
        other: (name, {"team"}, False, 0.0),
    }
    assert latest_entry(world) == (owner.email, "import wallets", "1 added, 1 changed")


def test_imported_balance_reaches_the_owners_other_pages_and_no_strangers(world, owner, stranger):
    address = make_address()
    other_id, strange_id = owner.make_page(), stranger.make_page()
    world.track(address, page_id=strange_id)
    world.track(address, page_id=other_id)
    key = world.make_key("secret", page_id=other_id)
    assert world.read(other_id, key=key).json["wallets"][0]["tokenBalance"] == 0

    import_file(owner, f"{address},,,,42")

    assert world.read(other_id, key=key).json["wallets"][0]["tokenBalance"] == 42
    assert known.read_balances(pages.get_page(strange_id), [address], uses_chain=False) == {}


def test_page_that_changed_since_the_dry_run_is_checked_again(world, owner):
    tag = world.add_tag("team")
    text = f"{make_address()},,team"
    checked = check_file(owner, text)
    owner.post(f"/dashboard/pages/{world.page_id}/wallets/tags/{tag.id}/remove")

    answer = owner.post(path_of(world, "import/apply"), text=read_carried(checked))

    assert answer.status_code == 422
    assert "has no tag team" in answer.text
    assert read_all(world) == {}


@pytest.mark.parametrize(
    ("raw", "said"), [(b"a\nZo\xeb", "Line 2 is not UTF-8"), (b"", "no wallets in this file")]
)
def test_file_that_cannot_be_used_is_a_clear_message(owner, raw, said):
    assert said in check_file(owner, raw).text


def test_form_without_a_file_and_a_file_that_is_too_large_are_clear_messages(world, owner):
    assert "Choose a file" in owner.post(path_of(world, "import")).text
    answer = owner.post(path_of(world, "import/apply"), text="x" * 18_000_000)
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
    answer = import_file(owner, f"{address},Whale")

    assert were_locked == [False, False, True]
    assert "0 added, 1 changed" in read_text(owner.get(answer.location))


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
