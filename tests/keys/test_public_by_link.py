"""A page's link: the key that it has, and when that key works."""

import pytest
from support.world import USDC, read_log

from embed.db.models import ApiKey
from embed.errors import ApiError
from embed.keys import access, derived, management
from embed.pages import count_live_keys

pytestmark = pytest.mark.databases("sqlite", "postgres")

SECRET, LATER_SECRET = ["a secret of this installation"], ["its next secret"]


@pytest.fixture
def shared(world):
    derived.share_page(world.page_id, world.change())
    return world


def test_key_of_the_link_lists_no_site_and_is_the_same_each_time(shared):
    key = derived.get_link_key(shared.page, SECRET)
    found = access.get_access(key)

    assert (found.page_id, found.tier, found.is_link) == (shared.page_id, "public", True)
    assert (found.origins, found.allows_null_origin) == ((), False)
    assert derived.get_link_key(shared.page, SECRET) == key


def test_key_ends_with_the_link_and_comes_back_with_it(shared):
    key = derived.get_link_key(shared.page, SECRET)

    derived.stop_sharing(shared.page_id, shared.change())

    for page_id in (shared.page_id, "x" * 20, "\ud800"):
        assert derived.find_shared_page(page_id) is None
    with pytest.raises(ApiError, match="revoked_key"):
        access.get_access(key)
    derived.share_page(shared.page_id, shared.change())
    assert access.get_access(key).is_link


def test_key_follows_the_secret_and_the_former_one_ends(shared):
    old = derived.get_link_key(shared.page, SECRET)
    row = access.find_access(old).key_id

    new = derived.get_link_key(shared.page, LATER_SECRET)

    assert new != old
    assert access.find_access(old) is None
    assert access.get_access(new).key_id == row


def test_key_stays_while_machines_get_a_new_secret_one_after_the_other(shared):
    key = derived.get_link_key(shared.page, SECRET)

    for secrets in (LATER_SECRET + SECRET, SECRET + LATER_SECRET):
        assert derived.get_link_key(shared.page, secrets) == key
    new = derived.get_link_key(shared.page, LATER_SECRET)
    assert derived.get_link_key(shared.page, LATER_SECRET + SECRET) == new != key


def test_links_key_is_not_the_previews_and_owners_do_not_count_it_among_theirs(shared):
    link = derived.get_link_key(shared.page, SECRET)

    assert derived.get_preview_key(shared.page_id, SECRET[0], shared.clock()) != link
    assert {key.purpose for key in management.list_keys(shared.page_id)} == {"sites"}
    assert count_live_keys(shared.page.owner) == {shared.page_id: 2}


def test_both_switches_are_logged_once(world):
    for _ in range(2):
        world.clock.forward(seconds=1)
        derived.share_page(world.page_id, world.change())
    for _ in range(2):
        world.clock.forward(seconds=1)
        derived.stop_sharing(world.page_id, world.change("ann@example.com"))

    newest = [each for each in read_log(world.page_id) if each.action == "change page"]
    assert [(one.actor, one.action, one.subject) for one in newest] == [
        ("ann@example.com", "change page", "share link: off"),
        ("command line", "change page", "share link: on"),
    ]
    assert ApiKey.select().where(ApiKey.purpose == "link").count() == 1


@pytest.mark.parametrize("change", [{"is_public": False}, {"is_embeddable": False}])
def test_page_that_is_private_or_not_embedded_is_not_found_by_its_link(shared, change):
    shared.configure(**change)
    assert derived.find_shared_page(shared.page_id) is None

    shared.configure(**dict.fromkeys(change, True))
    assert derived.find_shared_page(shared.page_id).token_mint == USDC
