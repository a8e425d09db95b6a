"""How a wallet signs: the steps, the window for wallets that frames lack, and codes for phones."""

import re

import pytest
from frames import ask
from support.world import Visitor

from embed.web.assets import list_modules
from embed.web.widget import signing

# The steps, which the widget loads when they are wanted


def test_steps_come_with_their_sentences(world):
    answer = ask(world, "/flow", lang="de")

    assert answer.status_code == 200
    assert 'data-step="choose"' in answer.text
    assert "Wallet hinzufügen" in answer.text


def test_list_comes_without_them_and_names_what_they_need(world):
    page, _, rest = world.open_widget(Visitor()).text.partition('<template id="flow-links"')
    links = rest.partition("</template>")[0]

    assert "data-step" not in page + rest
    assert "/widget/visitor.css" in links
    assert "/widget/visitor.css" not in page
    assert set(re.findall(r"/static/\w+/([\w/-]+\.js)", page + links)) >= {
        *list_modules("widget/main.js", "widget/flow-setup.js", "widget/own.js")
    }


def test_what_owners_write_does_nothing(world):
    world.configure(token_symbol='"><img src=x>', min_balance="5")

    assert "<img src=x>" not in ask(world, "/flow").text


def test_minimum_is_told_exactly_and_what_a_wallet_holds_only_where_the_chain_is_read(world):
    world.configure(min_balance="1000.0000004")

    def read_refusal() -> str:
        return re.search(r'"ca_gate_failed": "(.*?)"', ask(world, "/flow").text)[1]

    steps = ask(world, "/flow").text
    assert "This list requires at least 1,000.0000004 $USDC." in steps
    assert "Only balances entered by the owner count." in steps
    asked = "This list requires at least {minBalance} {symbol}"
    entered = f"{asked}. The owner has entered no balance for this wallet, or a lower one."
    assert read_refusal() == entered

    world.use_endpoint("https://rpc.example")
    assert read_refusal() == f"{asked}; this wallet holds {{balance}}."


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
        ("../../dashboard", "svc_pub_" + "a" * 32),
        ('"><script>alert(1)</script>', "svc_pub_" + "a" * 32),
        ("\0" * 20, "\u00e9"),
    ],
)
def test_window_with_another_address_is_the_window_without_links(world, page, key):
    html = open_window(world, page=page, key=key).text

    assert 'id="own-page"' not in html
    assert "/embed/tracking/" not in html
    assert "alert(1)" not in html


# QR codes that open the widget in a phone's wallet


def test_each_wallet_has_a_code_that_is_drawn_once(world):
    signing._draw.cache_clear()
    wallets = ("phantom", "solflare", "phantom")
    pictures = [ask(world, "/qr.svg", wallet=wallet).text for wallet in wallets]

    assert pictures[0] == pictures[2] != pictures[1]
    assert pictures[0].startswith("<svg xmlns=")
    assert signing._draw.cache_info().misses == 2
    assert ask(world, "/qr.svg", wallet="another").status_code == 404
