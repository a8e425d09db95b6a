"""The switch that makes a page share link, and what is to be copied of it."""

import pytest

from embed.keys import derived

pytestmark = pytest.mark.slow

HOST = "http://localhost"


def switch(browser, *, on: bool):
    path = f"/dashboard/pages/{browser.world.page_id}/embed/share"
    return browser.post(path, **({"shared": "yes"} if on else {}))


def open_tab(browser) -> str:
    return browser.get(f"/dashboard/pages/{browser.world.page_id}/embed/share").text


@pytest.fixture
def shared(world, owner) -> str:
    """The page's link."""
    assert switch(owner, on=True).status_code == 303
    return f"{HOST}/embed/page/{world.page_id}"


def test_page_becomes_public_by_link_and_ends_to_be(world, owner):
    assert "Turn the link on" in open_tab(owner)

    assert switch(owner, on=True).location.endswith("/embed/share")
    assert derived.is_shared(world.page_id)
    text = open_tab(owner)
    shared = f"{HOST}/embed/page/{world.page_id}"
    for name, address in (("link", shared), ("count", f"{shared}/count.json")):
        assert f'id="{name}" dir="ltr">{address}</code></a>' in text
    assert "The share link is on." in text
    assert "Turn the link off" in text

    switch(owner, on=False)
    assert not derived.is_shared(world.page_id)
    assert f"/embed/page/{world.page_id}" not in open_tab(owner)


def test_editor_sees_the_link_and_cannot_change_it(world, shared, make_member):
    editor = make_member("editor")
    text = open_tab(editor)

    assert shared in text
    assert "Turn the link off" not in text
    assert switch(editor, on=False).status_code == 403
    assert derived.is_shared(world.page_id)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"is_public": False}, "so the link shows nothing."),
        ({"is_embeddable": False}, "so the link shows a notice."),
    ],
)
def test_link_that_shows_nothing_is_told(world, owner, shared, change, said):
    world.configure(**change)
    text = open_tab(owner)

    assert said in text
