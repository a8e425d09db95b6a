"""How a wallet signs: the steps, the window for wallets that frames lack, and codes for phones."""

import re

import pytest
from support.world import USDC, Visitor

from embed.web.assets import list_modules
from embed.web.widget import signing

# The steps, which the widget loads when they are wanted


def load_steps(world, **query):
    return world.client.get(
        f"/embed/tracking/{world.page_id}/flow", query_string={"key": world.public_key} | query
    )


def test_steps_come_with_their_sentences(world):
    answer = load_steps(world, lang="de")

    assert answer.status_code == 200
    assert 'data-step="choose"' in answer.text
    assert "Wallet hinzufügen" in answer.text
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_list_comes_without_them_and_names_what_they_need(world):
    page, _, rest = world.open_widget(Visitor()).text.partition('<template id="flow-links"')
    links = rest.partition("</template>")[0]

    assert "data-step" not in page + rest
    assert "/widget/visitor.css" in links
    assert "/widget/visitor.css" not in page
    assert set(re.findall(r"/static/\w+/([\w/-]+\.js)", page + links)) >= {
        *list_modules("widget/main.js", "widget/flow-setup.js", "widget/own.js")
    }


def test_refusals_are_those_of_the_list(world):
    other = world.make_key("public", page_id=world.make_page())

    for key in ("", "x", world.secret_key, other):
        assert load_steps(world, key=key).status_code == 401
    for switch in ("is_public", "is_embeddable"):
        world.configure(**{switch: False})
        assert load_steps(world).status_code == 403
        world.configure(**{switch: True})
    world.delete_page()
    assert load_steps(world).status_code == 404


@pytest.mark.parametrize("text", ["<b>x</b>", '"><img src=x>'])
def test_what_owners_write_does_nothing(world, text):
    world.configure(token_symbol=text, min_balance="5")

    assert text not in load_steps(world).text


def test_frames_without_an_origin_may_read_it_if_their_key_allows_them(world):
    sandboxed = world.make_key("public", allow_null_origin=True)

    def read_permission(key: str, origin: str) -> str | None:
        path = f"/embed/tracking/{world.page_id}/flow?key={key}"
        answer = world.client.get(path, headers={"Origin": origin})
        assert answer.status_code == 200
        return answer.headers.get("Access-Control-Allow-Origin")

    assert read_permission(sandboxed, "null") == "null"
    assert read_permission(sandboxed, "https://other.example") is None
    assert read_permission(world.public_key, "null") is None


# The window, which knows no more of a list than its address says


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


# QR codes that open the widget in a phone's wallet


def draw(world, wallet="phantom", **headers):
    return world.call(
        "GET",
        f"/embed/tracking/{world.page_id}/qr.svg",
        query_string={"key": world.public_key, "wallet": wallet},
        headers=headers,
    )


def test_each_wallet_has_a_code_that_is_drawn_once(world):
    signing._draw.cache_clear()
    pictures = [draw(world, wallet).text for wallet in ("phantom", "solflare", "phantom")]

    assert pictures[0] == pictures[2] != pictures[1]
    assert pictures[0].startswith("<svg xmlns=")
    assert signing._draw.cache_info().misses == 2
    assert draw(world, "another").status_code == 404
