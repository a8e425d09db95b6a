"""The signing window's page, which knows no more of a list than its address says."""

import pytest
from world import USDC, one_database

pytestmark = one_database


def open_window(world, **arguments):
    return world.client.get("/embed/sign", query_string=arguments)


def test_window_links_to_the_list_in_its_address(world):
    html = open_window(world, page=world.page_id, key=world.public_key, lang="de").text

    own_page = f"/embed/tracking/{world.page_id}?key={world.public_key}&amp;lang=de"
    assert f'href="{own_page}"' in html
    assert "https://phantom.app/ul/browse/" in html
    assert f"/embed/tracking/{world.page_id}/qr.svg?key={world.public_key}" in html


@pytest.mark.parametrize(
    ("page", "key"),
    [
        ("", ""),
        ("x" * 20, "no key"),
        ("../../dashboard", "svc_pub_" + "a" * 32),
        ('"><script>alert(1)</script>', "svc_pub_" + "a" * 32),
        (USDC, "svc_pub_" + "a" * 32),
        ("x" * 20, "svc_pub_" + "a" * 31 + '"'),
        ("\0" * 20, "\u00e9"),
    ],
)
def test_window_with_another_address_is_the_window_without_links(world, page, key):
    html = open_window(world, page=page, key=key).text

    assert 'id="own-page"' not in html
    assert "/embed/tracking/" not in html
    assert "alert(1)" not in html


def test_widget_tells_its_script_whether_every_site_may_frame_it(world):
    anywhere = world.make_key("public", allow_null_origin=True)
    for key, is_for_any in ((world.public_key, False), (anywhere, True)):
        html = world.client.get(f"/embed/tracking/{world.page_id}?key={key}").text

        assert ("data-any-site" in html) == is_for_any
