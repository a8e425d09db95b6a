"""The strip: a list in 72 px, which leads to the list."""

import html
import re
from functools import partial
from urllib.parse import quote

import frames
import pytest
from support.world import SITE, Visitor, with_session


@pytest.fixture
def ask(world):
    return partial(frames.ask, world, size="strip")


def track(world, count):
    for _ in range(count):
        world.track(Visitor().address)


def list_links(text: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'<a [^>]*href="([^"]+)"', text)]


def test_strip_says_how_many_hold_and_how_many_proved_it(world, ask):
    track(world, 20)
    visitor = with_session(world)
    assert "20 wallets</a>" in ask().text
    world.approve(world.submit(visitor, "Ada").json["submissionId"])
    text = ask(cookie=visitor.cookie).text

    assert "21 wallets</a>" in text
    assert "1 signed" in text
    assert text.count('class="avatar"') == 12
    assert "Ada" not in text  # it stands in the list


def test_list_that_the_strip_opens_knows_the_site(ask):
    def open_list(site: str) -> str:
        return ask(size="", site=site, headers={"Referer": None}).text

    assert f"site={quote(SITE, safe='')}" in list_links(ask().text)[0]
    assert f'data-site="{SITE}"' in open_list(SITE)
    assert 'data-site=""' in open_list("https://other.example")


def test_links_lead_to_the_list_as_the_address_asks_for_it(world, ask):
    track(world, 1)
    key = f"?key={world.public_key}&lang=en&theme=dark"

    site = f"&site={quote(SITE, safe='')}"
    assert list_links(ask(theme="dark", lang="en").text) == [f"{key}{site}", f"{key}{site}#add"]
    assert list_links(ask(lang="en", hide="add").text) == [
        f"?key={world.public_key}&lang=en&hide=add{site}"
    ]
