"""Requests for the widget's page and its parts, as browsers send them from a frame."""

import html
import re
from decimal import Decimal
from html.parser import HTMLParser

from support.world import SITE, USDC

from embed.balances.observations import store_chain_of_mints
from embed.balances.tokens import Supply


def ask(world, path: str = "", *, key=None, page_id=None, cookie=None, headers=None, **query):
    """Ask for the page, or with a path for something below it; `headers` are more of them."""
    return world.call(
        "GET",
        f"/embed/tracking/{page_id or world.page_id}{path}",
        query_string={"key": world.public_key if key is None else key} | query,
        cookie=cookie,
        headers={"Authorization": None, "Origin": None, "Referer": f"{SITE}/"} | (headers or {}),
    )


def read_again(world) -> None:
    """Let balances be read again, and nothing change but when that was."""
    world.clock.forward(minutes=10)
    store_chain_of_mints({}, supplies={USDC: Supply(Decimal(1000), world.clock())})


def read_cookie(answer) -> str:
    """Return the session that an answer sets."""
    (line,) = answer.headers.getlist("Set-Cookie")
    name, _, value = line.partition(";")[0].partition("=")
    assert name == "embed_session"
    return value


def read_policy(answer) -> dict[str, list[str]]:
    directives = answer.headers["Content-Security-Policy"].split(";")
    return {name: values for name, *values in map(str.split, directives)}


class Document(HTMLParser):
    """A parsed page: its elements, their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def find(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def list_rows(text: str) -> list[str]:
    """Return the rows of the list as HTML."""
    return re.findall(r'<li class="wallet".*?</li>', text, re.DOTALL)


def list_names(text: str) -> list[str]:
    return [re.search('class="name"[^>]*>(.*?)<', row)[1] for row in list_rows(text)]


def read_attribute(text: str, name: str) -> str:
    """Return an attribute of the list, which the first element of that name has."""
    return html.unescape(re.search(f' {name}="(.*?)"', text)[1])


def read_count(text: str) -> str:
    """Return what stands below the rows."""
    return re.search('<span id="count">(.*?)</span>', text)[1]
