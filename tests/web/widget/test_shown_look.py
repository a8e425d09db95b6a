"""The widget's look: what the page's owner has stored, and before it what the address asks for."""

import re
from datetime import timedelta
from functools import partial

import pytest
from frames import ask
from support.chain_history import record_history
from support.world import USDC, Visitor

from embed import pages
from embed.web.security_headers import hash_source


@pytest.fixture
def open_widget(world):
    """Return the answer to a frame's request for the widget."""
    world.track(Visitor().address, alias="Ann")

    return partial(ask, world)


def store(world, **texts: str) -> None:
    pages.change_look(world.page_id, texts, world.change())


def read_attributes(answer) -> dict[str, str]:
    """Return the data attributes of <html>."""
    (tag,) = re.findall("<html[^>]*>", answer.text)
    return dict(re.findall(r'data-(\w+)="([^"]*)"', tag))


def read_style(answer) -> str | None:
    """Return the content of the only inline style."""
    styles = re.findall("<style>(.*?)</style>", answer.text)
    assert len(styles) <= 1
    assert "style=" not in answer.text
    return styles[0] if styles else None


def read_style_policy(answer) -> str:
    return re.search("style-src ([^;]*)", answer.headers["Content-Security-Policy"])[1]


def test_page_without_a_look_has_neither_attributes_nor_style(open_widget):
    answer = open_widget()

    assert read_attributes(answer) == {"theme": "light", "surface": ""}
    assert read_style(answer) is None
    assert read_style_policy(answer) == "'self'"


def test_stored_look_comes_with_the_document(world, open_widget):
    store(world, neutral="sand", radius="1", density="roomy", font="serif", size="18", theme="auto")
    store(world, order="balance", explorer="solscan", hide="tools,add")

    answer = open_widget()

    assert read_attributes(answer) == {
        "neutral": "sand", "radius": "1", "density": "roomy", "font": "serif", "size": "18",
        "theme": "auto",
    }  # fmt: skip
    assert ' data-order="balance"' in answer.text
    assert 'href="https://solscan.io/account/' in answer.text
    assert 'class="tools"' not in answer.text


def test_address_comes_before_what_is_stored_and_only_where_it_is_valid(world, open_widget):
    store(world, accent="ff6600", radius="1", theme="dark", hide="add")

    asked = open_widget(accent="7C4DDB", radius="3", theme="light", hide="")
    unknown = open_widget(accent="red", radius="9", theme="pink", hide="everything", font="x")

    assert read_attributes(asked) == {"accent": "7c4ddb", "radius": "3", "theme": "light"}
    assert 'id="add"' in asked.text
    assert read_attributes(unknown) == {"accent": "ff6600", "radius": "1", "theme": "dark"}
    assert "--accent:#ff6600;" in read_style(unknown)


@pytest.mark.parametrize("path", ["/embed/tracking/{page}", "/embed/sign"])
def test_colors_of_an_accent_are_in_one_style_and_no_other_is_allowed(world, path):
    path = path.format(page=world.page_id)
    answer = world.client.get(path, query_string={"key": world.public_key, "accent": "ffee55"})

    style = read_style(answer)
    assert style.startswith(":root{--accent:#ffee55;--accent-hover:#")
    assert "--on-accent:#000000;" in style
    assert re.search(r"--edge:light-dark\(#\w{6}, transparent\)", style)
    assert read_style_policy(answer) == f"'self' {hash_source(style)}"


# Parts that a site leaves out


@pytest.fixture
def shown(world_with):
    """The widget's page with some parts left out, on a service that knows changes."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example")
    world.configure(public_title="The title", public_comments="The comment")
    address = Visitor().address
    world.track(address, alias="Whale")
    record_history(USDC, address, world.clock(), "5", {timedelta(days=1): "4"})

    return lambda hide: ask(world, hide=hide).text


@pytest.mark.parametrize(
    ("hide", "missing"),
    [
        ("", set()),
        ("heading", {"heading", "comment"}),
        ("tools", {"search", "orders"}),
        ("changes", {"changes"}),
        ("everything,add", {"add"}),
        ('"><script>', set()),
    ],
)
def test_named_parts_are_left_out_and_list_and_rights_of_holders_never(shown, hide, missing):
    body = shown(hide).partition("<body")[2]

    parts = {
        "heading": ">The title<" in body,
        "comment": "The comment" in body,
        "search": 'class="search"' in body,
        "orders": 'id="orders"' in body,
        "changes": "data-changes" in body,
        "add": not re.search('<p [^>]*hidden><button[^>]* id="add"', body),
    }
    assert {part for part, is_shown in parts.items() if not is_shown} == missing
    assert "<script>" not in body
    assert "Whale" in body
    assert '<p class="foot needs-script"><button' in body
