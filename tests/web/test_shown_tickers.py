"""A ticker has one dollar sign, however it was written."""

import pytest
from support.owner_browser import OwnerBrowser

from embed import pages
from embed.db.models import Page


@pytest.fixture
def owner(world) -> OwnerBrowser:
    browser = OwnerBrowser(world)
    browser.take(world.page_id)
    return browser


@pytest.fixture
def shown(world, owner):
    """Return what visitors and the owner see of the page."""

    def read() -> str:
        paths = ["", *(f"pages/{world.page_id}/{name}" for name in ("settings", "policy"))]
        widget = world.call(
            "GET",
            f"/embed/tracking/{world.page_id}?key={world.public_key}",
            headers={"Authorization": None, "Origin": None},
        )
        seen = [widget, *(owner.get(f"/dashboard/{path}") for path in paths)]
        assert {answer.status_code for answer in seen} == {200}
        return "".join(answer.text for answer in seen)

    return read


def test_dollar_sign_kept_by_an_older_version_is_shown_once(world, shown):
    pages.update_page(world.page_id, {"min_balance": "5"}, world.clock())
    Page.update(token_symbol="$BONK").where(Page.id == world.page_id).execute()

    assert "$BONK" in shown()
    assert "$$" not in shown()
