"""The activity page: the log, and the charts of submissions."""

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from support.many_submissions import add_submissions
from support.world import change_at

import embed
from embed.db.models import STATUSES, Activity
from embed.events.editing import editing
from embed.events.kinds import (
    FACTS_BY_ACTION,
    ChangeFacts,
    PageFacts,
    TagFacts,
)
from embed.notifications import receivers
from embed.people import invitations
from embed.submissions.deny_list import block_on_page
from embed.web.dashboard.activity import KINDS, STACK
from embed.web.dashboard.filters import find_tone

pytestmark = pytest.mark.slow


@pytest.fixture
def path(world) -> str:
    world.clock.forward(minutes=1)  # since the page was set up
    return f"/dashboard/pages/{world.page_id}/activity"


def log(world, count: int) -> None:
    for number in range(count):
        world.clock.forward(seconds=1)
        with editing(world.page_id, world.change("owner@example.com")) as edit:
            edit.log("change page", ChangeFacts({"public_title": f"entry {number}."}))


def list_entries(answer) -> list[int]:
    return [int(number) for number in re.findall(r"entry (\d+)\.", answer.text)]


@pytest.mark.databases("sqlite", "postgres")
def test_parts_of_the_log_show_everything_once(world, owner, path):
    with editing(world.page_id, world.change("<b>")) as edit:
        edit.log("delete page", PageFacts("<script>"))
    text = owner.get(path).text
    assert "<b>" not in text
    assert '<bdi translate="no">&lt;script&gt;</bdi>' in text
    log(world, 120)
    said = "Jan 31, 2026, 9:33 AM UTC owner@example.com changed the page: title: entry 119."
    assert said in owner.see(path)
    seen, where = [], path
    while where:
        answer = owner.get(where)
        seen += list_entries(answer)
        link = re.search(r'rel="next" href="([^"]+)"', answer.text)
        where = link and link[1]

    assert seen == list(range(119, -1, -1))


def test_every_outcome_is_drawn_in_its_color_and_every_action_has_its_kind_and_fits():
    assert set(STACK) == set(STATUSES)
    styles = (Path(embed.__file__).parents[1] / "static/dashboard/charts.css").read_text()
    drawn = dict(re.findall(r"^svg \.(\w+) {.* var\(--([\w-]+)\)", styles, re.MULTILINE))
    assert drawn == {status: find_tone(status) or "text-2" for status in STACK}
    actions = [action for kind in KINDS.values() for action in kind.list_actions()]
    assert sorted(actions) == sorted(FACTS_BY_ACTION)
    assert max(map(len, FACTS_BY_ACTION)) <= Activity.action.max_length


def test_log_is_narrowed_to_a_kind_on_all_its_parts(world, owner, path):
    assert "Submissions of the last" not in owner.see(path)
    log(world, 60)
    with editing(world.page_id, world.change()) as edit:
        edit.log("add tag", TagFacts("team"))

    links = re.findall(
        r'class="mark[^"]*" href="[^"]*activity(?:\?kind=([\w-]+))?"', owner.get(path).text
    )
    assert links == ["", *KINDS]
    text = owner.see(f"{path}?kind=tags")
    assert "added the tag team" in text
    assert "entry" not in text
    first = owner.get(f"{path}?kind=settings").text
    older = html.unescape(re.search(r'rel="next" href="([^"]+)"', first)[1])
    assert "entry 59." in first
    assert "team" not in first + owner.get(older).text
    assert "entry 0." in owner.get(older).text
    assert "Nothing has happened yet." in owner.see(f"{path}?kind=people")
    assert "added the tag team" in owner.see(f"{path}?kind=nonsense")


def test_bar_of_a_day_is_stacked_by_outcome_and_the_tallest_fills_the_chart(world, owner, path):
    add_submissions(world, 3)
    add_submissions(world, 1, "approved")
    text = owner.see(path)
    assert "Jan 31 1 approved, 3 waiting" in text
    assert "approved 1 approved automatically 0 waiting 3 rejected 0 refused 0" in text
    assert "busiest day: 4" in text
    world.clock.forward(days=1)
    add_submissions(world, 2, "rejected")
    chart = _find_chart(owner.get(path).text)

    bar = r'<rect class="(\w+)" x="(\d+)" y="([\d.]+)" width="16" height="([\d.]+)"'
    assert re.findall(bar, chart) == [
        ("approved", "562", "75.0", "25.0"),
        ("pending", "562", "0.0", "75.0"),
        ("rejected", "582", "50.0", "50.0"),
    ]


def test_chart_holds_thirty_days_by_utc_and_no_more(world, owner, path):
    start = world.clock().replace(hour=0, minute=0) - timedelta(days=29)
    add_submissions(world, 1, created_at=start, nickname="first")
    add_submissions(world, 1, created_at=start - timedelta(milliseconds=1))
    chart = _find_chart(owner.get(path).text)

    assert re.findall(r"<title>([^<]+)", chart) == ["Jan 2: 1"]
    assert 'x="2"' in chart


def _find_chart(page: str) -> str:
    return re.search(r'<svg class="chart".*?</svg>', page, re.DOTALL)[0]


DENIED = {"scammer*", "198.51.100.0/24"}
OWNERS = {"guest@example.com", "hooks.example"}


@pytest.mark.parametrize(
    ("role", "shown"),
    [("viewer", set()), ("reviewer", DENIED), ("editor", DENIED), ("owner", DENIED | OWNERS)],
)
def test_log_tells_nobody_what_their_role_does_not_show_elsewhere(
    world, owner, make_member, path, role, shown
):
    now = world.clock()
    invitations.invite(world.page_id, "guest@example.com", "viewer", change_at(now))
    receivers.add_webhook(world.page_id, "https://hooks.example/x", change_at(now))
    block_on_page(world.page_id, "name", "scammer*", change_at(now))
    block_on_page(world.page_id, "network", "198.51.100.0/24", change_at(now))
    log(world, 1)

    told = (owner if role == "owner" else make_member(role)).get(path).text

    assert {one for one in DENIED | OWNERS if one in told} == shown
    assert ("created a key" in told.replace("</strong>", "")) == (role == "owner")
    assert "entry 0" in told
