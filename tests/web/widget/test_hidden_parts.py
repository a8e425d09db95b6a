"""Parts of the widget that a site leaves out, by `hide=` in the address."""

import re
from datetime import timedelta

import pytest
from frames import ask
from support.chain_history import record_history
from support.world import USDC, Visitor


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
