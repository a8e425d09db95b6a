"""A mistake is shown beside the field that it is about, whatever its sentence says."""

import re

import pytest
from support.world import USDC

from embed import pages
from embed.errors import InvalidInput
from embed.wallets import tracking

pytestmark = pytest.mark.slow

PAGE = {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC}
POLICY = {
    "min_balance": "0",
    "queue_capacity": "1",
    "cooldown": "1",
    "cooldown_unit": "days",
    "trust_after": "0",
    "save": "",
}
TYPES = {"event_types": ["queue.filling"]}
CONTROL = "bell \a"


def list_wrong_fields(answer) -> list[str]:
    """Return the fields beside which something is said to be wrong."""
    assert answer.status_code == 422, answer.text
    return re.findall(r'id="(\w+)-wrong"', answer.text)


@pytest.mark.parametrize(
    ("path", "form", "field"),
    [
        ("wallets/new", {"address": "my alias here"}, "address"),
        ("wallets/new", {"address": "a balance of no tag"}, "address"),
        ("wallets/new", {"address": USDC, "alias": CONTROL}, "alias"),
        ("wallets/new", {"address": USDC, "balance": "-1"}, "balance"),
        ("settings/general", PAGE | {"token_name": CONTROL}, "token_name"),
        ("settings/general", PAGE | {"token_symbol": CONTROL}, "token_symbol"),
        ("settings/general", PAGE | {"token_mint": "the title of a token name"}, "token_mint"),
        ("settings/general", PAGE | {"public_title": CONTROL}, "public_title"),
        ("settings/general", PAGE | {"public_comments": CONTROL}, "public_comments"),
        ("settings/notifications", TYPES, "service"),
        (
            "settings/notifications",
            TYPES | {"service": "ntfy", "topic": "my phone"},
            "topic",
        ),
        (
            "settings/notifications",
            TYPES | {"service": "webhook", "target": "ftp://site.example"},
            "target",
        ),
    ],
)
def test_mistake_is_beside_its_field(world, owner, path, form, field):
    answer = owner.post(f"/dashboard/pages/{world.page_id}/{path}", **form)

    assert list_wrong_fields(answer) == [field]


@pytest.mark.parametrize(
    ("path", "form", "use_case"),
    [
        ("settings/rules", POLICY, (pages, "update_page")),
        ("wallets/new", {"address": USDC}, (tracking, "add_wallet")),
    ],
)
@pytest.mark.parametrize("field", [None, "a field that no form has"])
def test_mistake_of_no_field_is_above_the_form(
    world, owner, monkeypatch, path, form, use_case, field
):
    def refuse(*_, **__):
        raise InvalidInput("Reworded <since> yesterday.", field=field)

    monkeypatch.setattr(*use_case, refuse)

    answer = owner.post(f"/dashboard/pages/{world.page_id}/{path}", **form)

    assert list_wrong_fields(answer) == []
    assert '<p class="wrong" role="alert">Reworded &lt;since&gt; yesterday.</p>' in answer.text
