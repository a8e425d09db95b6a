"""A page that is share link, as programs of other sites ask for it."""

import pytest

from embed.keys import derived


def share(world, page_id: str | None = None) -> str:
    """Make a page share link, and return its path."""
    derived.share_page(page_id or world.page_id, world.change())
    return f"/embed/page/{page_id or world.page_id}"


def get(world, path: str, *, headers=None, **query: str):
    return world.client.get(path, query_string=query, headers=headers)


# What ends a link at once.
ENDINGS = {
    "ended": lambda world: derived.stop_sharing(world.page_id, world.change()),
    "private": lambda world: world.configure(is_public=False),
    "not embedded": lambda world: world.configure(is_embeddable=False),
    "deleted": lambda world: world.delete_page(),
}
every_ending = pytest.mark.parametrize("ending", ENDINGS)
