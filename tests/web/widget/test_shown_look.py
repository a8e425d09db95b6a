"""The widget's look: what the page's owner has stored, and before it what the address asks for."""

import re
from datetime import timedelta
from functools import partial

import pytest
from frames import ask, list_names
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


def test_list_is_sorted_by_balance_once_a_balance_is_known_unless_its_owner_has_chosen(
    world, open_widget
):
    world.clock.forward(minutes=1)
    world.track(Visitor().address, alias="Zoe")
    assert list_names(open_widget().text) == ["Ann", "Zoe"]

    world.clock.forward(minutes=1)
    world.track(Visitor().address, alias="Max", balance="5")

    assert list_names(open_widget().text) == ["Max", "Ann", "Zoe"]
    assert list_names(open_widget(order="listed").text) == ["Ann", "Zoe", "Max"]
    store(world, order="listed")
    assert list_names(open_widget().text) == ["Ann", "Zoe", "Max"]
    assert list_names(open_widget(order="auto").text) == ["Max", "Ann", "Zoe"]


def test_address_comes_before_what_is_stored_and_only_where_it_is_valid(world, open_widget):
    store(world, accent="ff6600", radius="1", theme="dark", hide="add")

    asked = open_widget(accent="7C4DDB", radius="3", theme="light", hide="")
    unknown = open_widget(accent="red", radius="9", theme="pink", hide="everything", font="x")

    assert read_attributes(asked) == {"accent": "7c4ddb", "radius": "3", "theme": "light"}
    assert 'id="add"' in asked.text
    assert read_attributes(unknown) == {"accent": "ff6600", "radius": "1", "theme": "dark"}
    assert "--accent:#ff6600;" in read_style(unknown)


def test_default_accent_in_the_address_is_that_of_a_page_without_a_look(world, open_widget):
    store(world, accent="ff6600")

    assert read_style(open_widget(accent="3e63dd")) is None


@pytest.mark.parametrize("path", ["/embed/tracking/{page}", "/embed/sign"])
def test_colors_of_an_accent_are_in_one_style_and_no_other_is_allowed(world, path):
    path = path.format(page=world.page_id)
    answer = world.client.get(path, query_string={"key": world.public_key, "accent": "ffee55"})

    style = read_style(answer)
    assert style.startswith(":root{--accent:#ffee55;--accent-hover:#")
    assert "--on-accent:#000000;" in style
    assert re.search(r"--edge:light-dark\(#\w{6}, transparent\)", style)
    assert read_style_policy(answer) == f"'self' {hash_source(style)}"


def test_look_is_its_own_entry_of_the_log_and_one_that_changes_nothing_is_none(world):
    before = world.page.version

    store(world, accent="ff6600", radius="2")
    store(world, accent="FF6600")

    assert world.page.version == before + 1
    assert world.page.look.accent == "ff6600"


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


def find_hidden_parts(text: str) -> set[str]:
    body = text.partition("<body")[2]
    return {
        part
        for part, is_hidden in {
            "heading": '<h1 id="sentence" class="hidden-visually">' in body
            and "The title" not in body
            and "The comment" not in body,
            "tools": 'class="search"' not in body and 'id="orders"' not in body,
            "changes": "data-changes" not in body,
            "add": re.search('<p [^>]*hidden><button[^>]* id="add"', body)
            and '<noscript><p class="quiet" hidden>' in body,
        }.items()
        if is_hidden
    }


@pytest.mark.parametrize(
    ("hide", "parts"),
    [
        ("", set()),
        ("heading", {"heading"}),
        ("tools", {"tools"}),
        ("changes", {"changes"}),
        ("add", {"add"}),
        ("heading,tools,changes,add", {"heading", "tools", "changes", "add"}),
        ("everything,add", {"add"}),
        ('"><script>', set()),
    ],
)
def test_named_parts_are_left_out_and_no_others(shown, hide, parts):
    text = shown(hide)

    assert find_hidden_parts(text) == parts
    assert "<script>" not in text


def test_list_and_rights_of_holders_are_always_there(shown):
    text = shown("heading,tools,changes,add")

    assert "Whale" in text
    assert '<p class="foot needs-script"><button' in text
    assert "$USDC" in text.partition("<h1")[2].partition("</h1>")[0]
