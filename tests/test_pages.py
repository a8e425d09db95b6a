"""A page that was deleted, and comes back or not."""

from datetime import timedelta

import pytest
from support.world import change_at

from embed import pages
from embed.errors import InvalidInput

KEPT = timedelta(days=30)


def test_page_comes_back_until_30_days_after_its_deletion(world):
    deleted_at = pages.delete_page(world.page_id, world.change()).deleted_at

    with pytest.raises(InvalidInput, match="more than 30 days ago"):
        pages.restore_page(world.page_id, change_at(deleted_at + KEPT + timedelta(seconds=1)))
    assert pages.get_page(world.page_id).deleted_at == deleted_at

    page = pages.restore_page(world.page_id, change_at(deleted_at + KEPT - timedelta(seconds=1)))
    assert page.deleted_at is None
