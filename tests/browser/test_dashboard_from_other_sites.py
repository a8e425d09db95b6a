"""What another site learns about its visitor by opening or loading pages of the dashboard."""

import pytest
from embedded_page import make_owner, sign_in

VIEWS = ("", "queue", "wallets", "wallets.csv", "keys", "embed", "settings", "nothing")
VISITORS = ("owner", "other owner", "signed out")


@pytest.fixture(params=VISITORS)
def visitor(request, dashboard, context, page):
    """Each kind of visitor; what the site sees must not depend on it."""
    if request.param != "signed out":
        other = make_owner(dashboard) if request.param == "other owner" else None
        sign_in(page, dashboard, other)
    return page


@pytest.mark.parametrize("view", VIEWS)
def test_site_that_opens_a_page_of_the_dashboard_loses_sight_of_it(dashboard, visitor, view):
    visitor.goto(dashboard.host.show("<!doctype html><title>Attacker</title>"))

    visitor.evaluate("url => { opened = window.open(url) }", f"{dashboard.base}/{view}".rstrip("/"))

    visitor.wait_for_function("opened.closed")
    assert visitor.evaluate("opened.length") == 0
