"""What people may do on a page: every route of the dashboard as every role.

As a stranger and signed out: test_dashboard_contract.py.
"""

import pytest
from routes import fill_in, list_routes
from support.owner_browser import OwnerBrowser
from support.world import Visitor

from embed.db.connection import db
from embed.db.models import Page, Submission
from embed.domain.roles import MEMBER_ROLES, ROLES, includes
from embed.people import members
from embed.web.dashboard.routes import ANYBODY, PAGE_CREATOR, PERSON, ROUTES

pytestmark = pytest.mark.slow

PATH = "/dashboard/pages/{}/"


def ask(browser: OwnerBrowser, method: str, path: str):
    """Make a request without an effect, whatever the answer."""
    with db.atomic() as transaction:
        answer = browser.get(path) if method == "GET" else browser.post(path)
        transaction.rollback()
    return answer


@pytest.fixture
def routes(world, things) -> list[tuple[str, str, str]]:
    """Method, path, and who may."""
    return [
        (method, fill_in(rule, things), ROUTES[endpoint].needs)
        for endpoint, method, rule in list_routes(world.app)
    ]


def test_every_route_states_who_may(world):
    for endpoint, _, rule in list_routes(world.app):
        known = ROLES if "<page_id>" in rule else (ANYBODY, PERSON, PAGE_CREATOR)
        assert ROUTES[endpoint].needs in known, rule


def test_route_that_states_nothing_is_closed(world, owner, monkeypatch):
    monkeypatch.delitem(ROUTES, "dashboard.show_queue")

    assert owner.get(f"{PATH.format(world.page_id)}queue").status_code == 500


@pytest.mark.parametrize("role", MEMBER_ROLES)
def test_member_may_do_what_routes_state_and_nothing_else(world, make_member, routes, role):
    member = make_member(role)

    for method, path, needed in routes:
        if needed in ROLES:
            status = ask(member, method, path).status_code
            if includes(role, needed):
                assert status not in (403, 404), path
            elif not Page.get_by_id(world.page_id).deleted_at:
                assert status == 403, (method, path)


def test_owner_may_do_everything(owner, routes):
    for method, path, needed in routes:
        if needed in ROLES and not path.endswith("/leave"):
            assert ask(owner, method, path).status_code not in (403, 404), path


def test_pages_of_members_show_no_button_that_answers_403(world, make_member, routes):
    world.submit(Visitor())
    for role in MEMBER_ROLES:
        member = make_member(role)
        for view in ("queue", "wallets", "wallets/tags", "activity", "settings/rules"):
            page = member.get(PATH.format(world.page_id) + view).text
            for method, path, needed in routes:
                if needed in ROLES and not includes(role, needed) and method == "POST":
                    assert f'action="{path}' not in page, (role, view, path)
            assert f"{PATH.format(world.page_id)}settings/keys" not in page


def test_changed_role_and_removal_hold_from_the_next_request_on(world, make_member):
    reviewer, submission = make_member("reviewer"), world.submit(Visitor()).json["submissionId"]
    queue = PATH.format(world.page_id) + "queue"
    assert reviewer.get(queue).text.count('form="approve"') == 1
    assert reviewer.post(f"{queue}/decide", ids=submission, decision="approve").status_code == 303

    members.change_role(world.page_id, reviewer.email, "viewer", world.change())
    assert reviewer.post(f"{queue}/undo", ids=submission).status_code == 403
    assert reviewer.get(queue).status_code == 200

    members.remove_person(world.page_id, reviewer.email, world.change())
    assert reviewer.post(f"{queue}/undo", ids=submission).status_code == 404
    assert reviewer.get(queue).status_code == 404
    assert Submission.get_by_id(submission).status == "approved"
