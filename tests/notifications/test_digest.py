"""The words of channels: short, plain, in the owner's language, and nothing in them acts."""

import json

import pytest
from support.message_bodies import make_data

from embed.db.models import Invitation, Message, Page, Person, Submission
from embed.notifications.digest import (
    Digest,
    add_reason,
    write_digest,
    write_html,
    write_invitation,
    write_test,
    write_text,
)
from embed.translations import LANGUAGES

PUBLIC_URL = "https://embed.example.com"
LINK = f"{PUBLIC_URL}/dashboard/a-link"
ADDRESS = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"


def make_page(*, language: str | None = None, title: str | None = None) -> Page:
    return Page(
        id="page",
        owner=Person(email="a@example.com", language=language),
        token_name="USD Coin",
        public_title=title,
    )


def make_message(message_type: str, **data: object) -> Message:
    return Message(type=message_type, data=json.dumps(make_data(message_type, **data)))


def make_submission(nickname: str, status: str = "pending") -> Message:
    return make_message("submission.created", nickname=nickname, status=status)


EVERYTHING = [
    make_submission("Ann"),
    make_submission("Bob"),
    make_submission("Cleo", "auto_approved"),
    make_message("submission.decided", nickname="Dan", status="approved"),
    make_message("submission.withdrawn", submissionId="one"),
    make_message("submission.withdrawn", submissionId="two"),
    make_message("wallet.flagged", publicAlias="Whale", address=ADDRESS),
    make_message("wallet.flagged", publicAlias=None, address=ADDRESS),
    make_message("queue.filling", pending=7, queueCapacity=10),
    make_message("queue.filling", pending=8, queueCapacity=10),  # only the newest is told
]


def test_everything_that_happened_is_summed_up():
    news = write_digest(make_page(), EVERYTHING, public_url=PUBLIC_URL)

    assert news.title == "News about USD Coin"
    assert write_text(news).splitlines() == [
        "New submissions to review: 2 (Ann, Bob)",
        "Wallets added without review: 1 (Cleo)",
        "Decided submissions: 1 (Dan)",
        "Submissions withdrawn by their wallets' holders: 2",
        "Wallets below the minimum balance: 2 (Whale, EPjF…Dt1v)",
        "The queue is almost full: 8 of 10",
        "Open the queue: https://embed.example.com/dashboard/pages/page/queue",
    ]


def test_at_most_five_names_are_shown():
    many = [make_submission(f"V{number}") for number in range(500)]

    text = write_text(write_digest(make_page(), many, public_url=None))
    assert text == "New submissions to review: 500 (V0, V1, V2, V3, V4, …)"


@pytest.mark.parametrize("language", [*LANGUAGES, "xx"])
def test_owner_reads_their_language(language):
    page = make_page(language=language, title="Our whales")
    news = write_digest(page, EVERYTHING, public_url=PUBLIC_URL)
    test = write_test(page)

    assert "Our whales" in news.title
    assert "Our whales" in test.title
    assert all(
        name in write_text(news) for name in ("Ann", "Cleo", "Whale", f"{PUBLIC_URL}/dashboard")
    )
    assert len(write_text(news).splitlines()) == 7
    assert "%(" not in write_text(news) + news.title
    if language == "xx":  # of a later version
        assert test.title == "Test message from Our whales"
    elif language != "en":
        english = write_digest(make_page(), EVERYTHING, public_url=PUBLIC_URL)
        assert not set(write_text(news).splitlines()) & set(write_text(english).splitlines())


def write_all(text: str) -> dict[str, Digest]:
    """Write every mail there is, with a text that others chose wherever one may be."""
    page, address = make_page(title=text), text.replace(" ", "").replace("\n", "")
    submission = Submission(nickname=text, wallet_address=ADDRESS)
    messages = [
        *(make_submission(text, status) for status in ("pending", "auto_approved")),
        make_message("submission.decided", nickname=text, status="approved"),
        make_message("wallet.flagged", publicAlias=text, address=ADDRESS),
    ]
    invitation = Invitation(page=page, invited_by=address)
    news = write_digest(
        page, messages, public_url=None, decisions=[(submission, {"approve": LINK})]
    )
    return {
        "write_digest": news,
        "add_reason": add_reason(news, Person(), LINK, asked=True),
        "write_test": write_test(page),
        "write_invitation": write_invitation(invitation, "Viewer", LINK, str),
    }


def test_address_of_who_invites_can_be_copied():
    for address in ("ann.b@list.example.com", "owner+1@localhost"):
        assert f"{address} invites you" in write_text(write_all(address)["write_invitation"])


@pytest.mark.parametrize("mail", write_all("a name"))
@pytest.mark.parametrize(
    "name",
    [
        *("@everyone", "<!channel>", "<b>x</b>", "a\nb", "a\u202eb"),
        *("evil\u3002example", "[a](https://evil.example)", "x:y@evil.example"),
    ],
)
def test_names_act_nowhere(name, mail):
    written = write_all(name)[mail]

    for text in (written.title, write_text(written), write_html(written)):
        for harmful in {name, "evil.example", "evil\u3002e", "://evil", "\u202e", "<b>x", "<!"}:
            assert harmful not in text
    for text in (written.title, write_text(written)):
        assert not set("@<>") & set(text)
    plain = write_all("a name")[mail]
    assert len(write_text(written).splitlines()) == len(write_text(plain).splitlines())
    assert written.title.splitlines() == [written.title]
