"""Requests for the widget's page and its parts, as browsers send them from a frame."""

import html
import re

from support.world import SITE


def ask(world, path: str = "", *, key=None, headers=None, **query):
    """Ask for the page, or with a path for something below it; `headers` are more of them."""
    return world.call(
        "GET",
        f"/embed/tracking/{world.page_id}{path}",
        query_string={"key": key or world.public_key} | query,
        headers={"Authorization": None, "Origin": None, "Referer": f"{SITE}/"} | (headers or {}),
    )


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
