"""The visitor's own rows: with the page, and at …/own for its script."""

import html
import re
from datetime import timedelta

import pytest
from frames import ask, read_attribute
from support.world import Visitor, another_wallet, with_session

from embed.db.models import Submission, Wallet
from embed.domain.reasons import parse_reason
from embed.domain.times import format_instant
from embed.keys import derived
from embed.wallets.tracking import WalletFields, update_wallet
from embed.web.widget.own import MAX_SENT

pytestmark = pytest.mark.databases("sqlite", "postgres")


def see(world, visitor: Visitor | None = None, *, hidden: tuple[str, ...] = (), **query):
    """Return the answer of …/own to a visitor's browser, which has hidden some rows."""
    cookies = [f"embed_session={visitor.cookie}"] if visitor else []
    cookies += [f"embed_hidden={'.'.join(hidden)}"] if hidden else []
    return ask(world, "/own", headers={"Cookie": "; ".join(cookies) or None}, **query)


def list_rows(answer) -> list[str]:
    """Return the visitor's rows as HTML."""
    section = answer.text.partition('<section id="own"')[2].partition("</section>")[0]
    return section.split("<li data-id=")[1:]


def list_names(answer) -> list[str]:
    return [re.search(r"<(?:strong|a) [^>]*>([\w ]+)", row)[1] for row in list_rows(answer)]


def read_tag(answer) -> str:
    return read_attribute(answer.text, "data-etag")


def submit(world, visitor: Visitor, name: str) -> str:
    return world.submit(visitor, name).json["submissionId"]


def is_same(world, answer, visitor: Visitor | None = None, **query) -> bool:
    """Tell whether the rows of an earlier answer are still those of now."""
    tag, cookie = {"If-None-Match": read_tag(answer)}, visitor and visitor.cookie
    again = ask(world, "/own", cookie=cookie, headers=tag, **query)
    assert again.status_code in (200, 304)
    assert again.status_code == 200 or again.data == b""
    return again.status_code == 304


# Which rows


def test_own_rows_come_with_the_page_and_by_themselves_what_waits_first(world):
    visitor = with_session(world)
    submit(world, visitor, "Waiting")
    other = another_wallet(visitor)
    world.reject(submit(world, other, "Rejected"), reason=parse_reason("other_name"))

    page = ask(world, cookie=visitor.cookie)

    assert list_names(page) == ["Waiting", "Rejected"]
    waiting, rejected = list_rows(page)
    assert "waiting for review" in waiting
    assert "Please choose another name." in rejected
    assert other.address in rejected
    assert see(world, visitor).text.strip() in page.text
    assert not re.search('<section id="own"[^>]* hidden>', page.text)


def test_own_rows_are_nobody_elses(world):
    visitor, stranger = with_session(world), with_session(world)
    submit(world, visitor, "Carol")
    other_page = world.make_page()
    other_key = world.make_key("public", page_id=other_page)

    assert list_names(see(world, visitor)) == ["Carol"]
    for one in (stranger, None):
        answer = see(world, one)
        assert re.search('<section id="own"[^>]* hidden>', answer.text)
        assert "Carol" not in answer.text
    world.page_id = other_page
    assert list_rows(see(world, visitor, key=other_key)) == []


def test_listed_visitor_finds_their_place_above_the_list(world):
    visitor = with_session(world)
    for balance in (300, 200, 100):
        world.track(Visitor().address, balance=balance)
    world.approve(submit(world, visitor, "Lucky Larry"))
    world.observe(visitor.address, "250.5")

    answer = see(world, visitor)
    (row,) = list_rows(answer)

    assert '<span class="mark">You</span>' in row
    assert "#2 of 4" in row
    assert 'title="250.5">250<' in row
    assert ">Lucky Larry</a>" in row
    wallet = Wallet.get(Wallet.address == visitor.address)
    assert read_attribute(answer.text, "data-mine") == wallet.id
    hidden = see(world, visitor, hidden=(Submission.get().id,))
    assert list_rows(hidden) == []
    assert read_attribute(hidden.text, "data-mine") == wallet.id
    update_wallet(wallet.id, WalletFields(is_hidden=True), world.change())
    (row,) = list_rows(see(world, visitor))
    assert "approved" in row
    assert "You" not in row


def test_own_card_is_offered_only_where_a_link_can_be_shared(world):
    visitor = with_session(world)
    world.approve(submit(world, visitor, "Ann"))

    before = see(world, visitor).text
    derived.share_page(world.page_id, world.change())
    after = see(world, visitor).text

    assert not any(word in before for word in ("data-link", "Share"))
    card = f"http://localhost/embed/page/{world.page_id}/card/{Wallet.get().id}"
    assert f'data-link="{card}"' in after
    assert f'href="{card}"' in after
    assert world.client.get(card).status_code == 200


def test_refused_tries_do_not_pile_up_and_hidden_rows_stay_away(world):
    visitor = with_session(world)
    world.configure(cooldown_s=3600)
    salt = another_wallet(visitor)
    world.reject(submit(world, salt, "Salt"), reason=parse_reason("No."))
    submit(world, visitor, "First")
    refused = [(salt, "Early"), (visitor, "Again"), (another_wallet(visitor), "Poor")]
    for one, name in (*refused, (another_wallet(visitor), "Poorer")):
        world.clock.forward(minutes=1)
        world.configure(min_balance=5 if "Poor" in name else 0)
        assert world.submit(one, name).status_code > 400
    made = {one.nickname: one.id for one in Submission.select()}

    def list_shown(*hidden: str) -> list[str]:
        return list_names(see(world, visitor, hidden=hidden))

    assert list_shown() == ["First", "Poorer", "Salt"]
    hidden = ("x", made["Poorer"], made["Poor"])
    assert list_shown(*hidden) == ["First", "Salt"]


# Browsers that keep no cookie


def test_what_was_sent_without_a_session_is_shown_by_its_id(world):
    first, second = (submit(world, Visitor(), name) for name in ("Ann", "Bob"))

    answer = see(world, sent=first)

    assert list_names(answer) == ["Ann"]
    assert is_same(world, answer, sent=first)
    assert set(list_names(see(world, sent=f"{first}.{second}"))) == {"Ann", "Bob"}
    assert list_rows(see(world)) == []


def test_ids_show_nothing_of_sessions_or_of_other_pages(world):
    visitor = with_session(world)
    of_session = submit(world, visitor, "Ann")
    elsewhere = submit(world, Visitor(), "Bob")
    Submission.update(page=world.make_page()).where(Submission.id == elsewhere).execute()

    for one in (None, with_session(world)):
        assert list_rows(see(world, one, sent=f"{of_session}.{elsewhere}")) == []
    # Its own session shows it once.
    assert list_names(see(world, visitor, sent=of_session)) == ["Ann"]


@pytest.mark.parametrize("sent", [".", "\0", "' OR 1=1 --"])
def test_what_is_no_id_shows_nothing(world, sent):
    submit(world, Visitor(), "Ann")

    assert list_rows(see(world, sent=sent)) == []


def test_ids_beyond_the_most_are_not_read(world):
    last = submit(world, Visitor(), "Ann")
    others = [f"{number:020}" for number in range(MAX_SENT)]

    assert list_rows(see(world, sent=".".join([*others, last]))) == []
    assert list_names(see(world, sent=".".join([*others[1:], last]))) == ["Ann"]


def test_answer_is_promised_only_to_browsers_that_can_show_it(world):
    promise, offer = "You'll see the answer here.", "Sign to check the status of your wallet"
    visitor = with_session(world)
    submit(world, visitor, "Ann")
    forgotten = submit(world, Visitor(), "Bob")

    (remembered,) = map(html.unescape, list_rows(see(world, visitor)))
    (unremembered,) = map(html.unescape, list_rows(see(world, sent=forgotten)))

    assert promise in remembered
    assert offer not in remembered
    assert promise not in unremembered
    assert offer in unremembered


# What has become of them


def find_sentence(world, visitor: Visitor) -> str:
    """Return what the visitor's only row says below the name."""
    (row,) = list_rows(see(world, visitor))
    line = re.search('<p class="line-2">(.*?)</p>', row, re.DOTALL)[1]
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", line)).split())


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("", ""),
        ("other_name", "Please choose another name."),
        ("Your <b>name</b> is taken.", "Your <b>name</b> is taken."),
    ],
)
def test_rejected_row_says_the_owners_reason_and_when_it_can_be_sent_again(world, reason, sentence):
    world.configure(cooldown_s=0)
    visitor = with_session(world)
    how = {"reason": parse_reason(reason)} if reason else {}
    world.reject(submit(world, visitor, "Ann"))
    world.clock.forward(minutes=1)
    world.reject(submit(world, visitor, "Ann"), **how)  # the newest counts
    world.configure(cooldown_s=3600)
    again_at = world.clock() + timedelta(hours=1)

    (row,) = list_rows(see(world, visitor))
    assert ">rejected<" in row
    assert "<b>name" not in row
    assert find_sentence(world, visitor).startswith(f"{sentence} You can send it again in".strip())
    assert f'data-again="{format_instant(again_at)}"' in row
    assert f'<time data-until datetime="{format_instant(again_at)}">' in row
    assert 'data-act="again" hidden>' in row

    world.clock.forward(hours=1)
    (row,) = list_rows(see(world, visitor))
    assert find_sentence(world, visitor) == f"{sentence} Try again".strip()
    assert "data-again" not in row
    assert "data-until" not in row
    assert 'data-act="again">' in row


def test_refusal_by_the_minimum_says_whose_balances_count(world):
    visitor = with_session(world)
    world.configure(min_balance=5)
    world.submit(visitor)
    entered = "The owner had entered no balance for this wallet, or one below the minimum."

    assert find_sentence(world, visitor) == f"{entered} Try again"

    world.use_endpoint("https://rpc.example")
    assert find_sentence(world, visitor).startswith("The wallet did not hold enough tokens.")


# What has not changed


def test_nothing_is_sent_again_while_neither_rows_nor_list_have_changed(world, count_statements):
    visitor = with_session(world)
    submit(world, visitor, "Ann")
    answer = see(world, visitor)

    assert is_same(world, answer, visitor)
    assert count_statements(lambda: is_same(world, answer, visitor)) == 2  # the key, and the rows
    assert not is_same(world, answer)  # another visitor


@pytest.mark.parametrize(
    "change",
    [
        lambda world, sent: world.approve(sent),
        lambda world, sent: world.reject(sent, reason=parse_reason("No.")),
        lambda world, sent: world.configure(cooldown_s=77),
        lambda world, sent: world.clock.forward(days=1),
        lambda world, sent: Submission.delete().where(Submission.id == sent).execute(),
    ],
    ids=["approval", "reason", "policy", "day", "withdrawal"],
)
def test_change_of_rows_or_list_is_seen_at_the_next_request(world, change):
    visitor = with_session(world)
    sent = submit(world, visitor, "Ann")
    answer = see(world, visitor)

    change(world, sent)

    assert not is_same(world, answer, visitor)
    assert read_tag(see(world, visitor)) != read_tag(answer)
