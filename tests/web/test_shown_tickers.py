"""A ticker has one dollar sign, however it was written."""

from support.owner_browser import OwnerBrowser
from support.world import Visitor

from embed.db.models import Page


def test_dollar_sign_kept_by_an_older_version_is_shown_once(world):
    Page.update(token_symbol="$BONK", min_balance=5).where(Page.id == world.page_id).execute()
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    paths = ("", f"pages/{world.page_id}/settings", f"pages/{world.page_id}/settings/rules")
    seen = [world.open_widget(Visitor()), *(owner.get(f"/dashboard/{path}") for path in paths)]

    assert {answer.status_code for answer in seen} == {200}
    text = "".join(answer.text for answer in seen)
    assert "$BONK" in text
    assert "$$" not in text
