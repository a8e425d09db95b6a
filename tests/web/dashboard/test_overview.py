"""The overview: what needs someone on any of the owner's pages, and what each page holds."""

import re

import pytest
from receiving import add_webhook, give_up, tell
from support.owner_browser import OwnerBrowser, read_text
from support.world import SITE, Visitor

from embed.balances.tokens import store_refusal
from embed.db.models import Job, Receiver
from embed.db.work_status import hold_lease
from embed.keys.derived import share_page

OVERVIEW = "/dashboard/"


def keep_working(world) -> None:
    """Let the background work run now."""
    hold_lease("a", "worker", world.clock(), world.clock())


@pytest.fixture
def calm(world, owner):
    """Nothing needs the owner: the background work runs, and the only page has a key."""
    keep_working(world)
    assert "Nothing right now." in owner.see(OVERVIEW)
    return owner


def read_needs(owner) -> list[tuple[str, str]]:
    """Return what each line says, and where its button leads."""
    lines = re.findall(r'<ul class="needs">(.*?)</ul>', owner.get(OVERVIEW).text, re.DOTALL)
    return [
        (read_line(line), re.search(r'class="button[^"]*" href="([^"]+)"', line)[1])
        for part in lines
        for line in part.split("</li>")[:-1]
    ]


def read_line(line: str) -> str:
    text = re.sub(r"<svg.*?</svg>|<a .*|<[^>]+>|[\u2068\u2069]", " ", line, flags=re.DOTALL)
    return " ".join(text.split())


def read_rows(owner) -> list[list[str]]:
    """Return the cells of each page in the table."""
    body = owner.get(OVERVIEW).text.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.split(r"</t[hd]>", row)[:-1] for row in body.split("</tr>")[:-1]]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in rows]


# What needs someone


def test_what_waits_says_since_when_and_how_many_places_are_free(world, calm, page):
    world.configure(queue_capacity=3)
    for _ in range(2):
        world.submit(Visitor())
        world.clock.forward(seconds=10)

    assert read_needs(calm) == [
        (
            "2 submissions are waiting on $USDC The oldest was sent Jan 31, 2026, 9:30 AM UTC ."
            " The queue has room for 1 more, of 3.",
            f"{page}/queue",
        )
    ]
    world.submit(Visitor())
    ((line, _),) = read_needs(calm)
    assert line.endswith("The queue is full, so new submissions are refused.")


def test_what_keeps_balances_from_being_read_is_told(world_with):
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    ((line, target),) = read_needs(owner)
    assert line.startswith("The background work isn't running")
    assert target == "/dashboard/background"
    keep_working(world)
    store_refusal(world.page.token_mint, "ABC is not the mint of a token.")
    Job.create(name="balances", failed_at=world.clock(), failure="No endpoint answered.")

    (first, target), problem = read_needs(owner)
    assert first.startswith("Balances can't be read right now")
    assert target == "/dashboard/background"
    assert problem == (
        "Balances can't be read on $USDC ABC is not the mint of a token.",
        f"/dashboard/pages/{world.page_id}/settings/general",
    )
    world.use_endpoint()
    assert read_needs(owner) == []


def test_receivers_that_fail_are_told_with_what_waits_and_what_was_given_up(world, calm, page):
    webhook = add_webhook(world)
    for _ in range(2):
        tell(world)
    Receiver.update(first_failed_at=world.clock()).execute()

    ((line, target),) = read_needs(calm)
    assert line.startswith("Messages of $USDC can't be delivered Failing since")
    assert line.endswith(" 2 messages are waiting.")
    assert target == f"{page}/settings/notifications"
    give_up(world, webhook)
    ((line, _),) = read_needs(calm)
    assert line.startswith("2 messages of $USDC couldn't be delivered Failing since")
    Receiver.update(first_failed_at=None).execute()
    ((line, _),) = read_needs(calm)
    assert line == "2 messages of $USDC couldn't be delivered"


def test_sites_that_were_refused_lately_are_told(world, calm, page):
    for site in ("https://one.example", "https://two.example"):
        assert world.read(headers={"Origin": site}).status_code == 403
        world.clock.forward(seconds=1)

    ((line, target),) = read_needs(calm)
    assert line.startswith("2 sites were refused on $USDC https://two.example : last")
    assert target == f"{page}/settings/keys"
    world.clock.forward(days=8)
    keep_working(world)
    assert read_needs(calm) == []


SHOWS_NOTICE = "Sites with its snippet show a notice instead of the list."


@pytest.mark.parametrize(
    ("change", "said", "tab"),
    [
        ({"is_public": False}, f"$USDC is private {SHOWS_NOTICE}", "settings/danger"),
        ({"is_embeddable": False}, f"$USDC is off on sites {SHOWS_NOTICE}", "settings/general"),
        (None, "No site can show $USDC The page has no key yet.", "embed"),
    ],
)
def test_page_that_sites_cannot_show_is_told(world, calm, page, change, said, tab):
    world.configure(**change) if change else world.revoke_all_keys()

    assert read_needs(calm) == [(said, f"{page}/{tab}")]


def test_members_read_only_of_what_their_role_can_change(world, calm, make_member):
    world.submit(Visitor())
    world.revoke_all_keys()

    assert len(read_needs(calm)) == 2
    ((line, _),) = read_needs(make_member("reviewer"))
    assert "waiting" in line
    viewer = make_member("viewer")
    assert read_needs(viewer) == []
    assert "$USDC" in viewer.see(OVERVIEW)


# The table


@pytest.mark.databases("sqlite", "postgres")
def test_table_says_what_the_list_holds_and_leaves_unknown_balances_empty(world, calm):
    world.track(Visitor().address, balance="1500000")
    world.track(Visitor().address, balance="624000.5")
    world.track(Visitor().address, balance="7000000", is_hidden=True)
    world.add_tag("pool", is_counted=False)
    world.track(Visitor().address, balance="9000000", tag_names=["pool"])
    world.track(Visitor().address, page_id=calm.make_page())

    assert sorted(row[2:] for row in read_rows(calm)) == [["1", ""], ["4", "2.12M"]]


# The danger zone


def test_deletion_names_the_sites_asks_for_the_ticker_and_can_be_undone(world, calm, page):
    world.track(Visitor().address)
    share_page(world.page_id, world.change())
    key_of_a_server = world.make_key("secret")

    asked = calm.see(f"{page}/settings/danger/delete")
    for said in (
        "Delete \u2068$USDC\u2069?",
        "1 wallet and 0 submissions to review, disappears from these sites",
        *(SITE, f"{key_of_a_server[:12]}…", "The share link"),
    ):
        assert said in asked
    for wrong in ({}, {"ticker": "USD"}):
        answer = calm.post(f"{page}/settings/danger/delete", **wrong)
        assert (answer.status_code, 'id="ticker-wrong"' in answer.text) == (422, True)
        assert world.page.deleted_at is None
    calm.post(f"{page}/settings/danger/delete", ticker=" \u2068$usdc\u2069 ")
    assert world.page.deleted_at is not None

    overview = calm.get(OVERVIEW)
    assert "$USDC USD Coin\u2069 has been deleted." in read_text(overview)
    assert f'class="toast" method="post" action="{page}/restore"' in overview.text
    assert "You can restore it until" in calm.see(OVERVIEW)
    assert 'class="toast"' not in calm.get(OVERVIEW).text  # it is said once
    assert calm.get(f"{page}/queue").status_code == 404
    calm.post(f"{page}/restore")
    assert "$USDC USD Coin\u2069 has been restored." in calm.see(OVERVIEW)
