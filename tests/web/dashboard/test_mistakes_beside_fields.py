"""A mistake is shown beside its field, with what was typed, and changes nothing."""

import html
import json
import re

import pytest
from forms import list_wrong_fields, read_mistake
from support.channel_fields import FIELDS
from support.world import USDC, Visitor

from embed.domain.look import DEFAULT_LOOK
from embed.errors import InvalidInput
from embed.wallets import tracking

pytestmark = pytest.mark.slow

MARKUP = "\"'><script>alert(1)</script>"
RULES = {
    "min_balance": "0",
    "queue_capacity": "1",
    "cooldown": "1",
    "cooldown_unit": "days",
    "trust_after": "0",
}
# What a browser sends to each form, but for the mistake.
FORMS = {
    "embed": {"www": "y"},
    "embed/look": DEFAULT_LOOK.write_texts() | {"hide": []},
    "settings/general": {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC},
    "settings/keys/new/public": {"origins": "https://new.example"},
    "settings/keys/{key_id}/edit": {"origins": "https://new.example"},
    "settings/notifications": {"topic": "a", "event_types": ["queue.filling"]},
    "settings/people": {"role": "viewer"},
    "settings/rules": RULES | {"save": ""},
    "settings/rules/deny-list": {"scope": "page"},
    "wallets/new": {"address": Visitor().address, "alias": "Whale"},
    "wallets/tags": {"name": "new", "color": "blue"},
    "wallets/tags/{tag_id}": {"name": "new", "color": "blue"},
}
CONTROL = "bell \a"
BOT_TOKEN = FIELDS["telegram"]["bot_token"]
SITE, EDIT = "settings/keys/new/public", "settings/keys/{key_id}/edit"
MANY_SITES = "\n".join(f"https://{number}.example" for number in range(101))
NEW_TAG, TAG = "wallets/tags", "wallets/tags/{tag_id}"
DENY, NOTIFY, PEOPLE = "settings/rules/deny-list", "settings/notifications", "settings/people"
WALLET, NEW_WALLET = "wallets/{wallet_id}", "wallets/new"
MISTAKES = [
    ("embed", {"site": ""}, "Enter the address of the site."),
    ("embed/look", {"accent": MARKUP}, "six hex digits"),
    ("embed/look", {"hide": ["everything"]}, "not a valid choice"),
    ("settings/general", {"token_name": CONTROL}, "can't be shown"),
    ("settings/general", {"token_mint": "the title of a token"}, "isn't a Solana address"),
    (SITE, {"origins": "new.example"}, "has no scheme"),
    (SITE, {"origins": "null"}, "“Allow the null origin” switch"),
    (SITE, {"origins": ""}, "Enter at least one site"),
    (SITE, {"origins": MANY_SITES}, "at most 100 sites"),
    (SITE, {"label": "x" * 65}, "longer than 64 characters"),
    (EDIT, {"origins": "https://*.example.com"}, "has a wildcard"),
    (NOTIFY, {"topic": "my phone", "service": "ntfy"}, "topic"),
    (NOTIFY, {"server": "http://127.0.0.1", "service": "ntfy"}, "own network"),
    (NOTIFY, {"chat_id": MARKUP, "service": "telegram", "bot_token": BOT_TOKEN}, "chat"),
    (NOTIFY, {"target": "http://127.0.0.1/", "service": "webhook"}, "own network"),
    (NOTIFY, {"target": MARKUP, "service": "webhook"}, "address"),
    (NOTIFY, {"event_types": ["queue.filling", MARKUP], "service": "ntfy"}, "not a valid choice"),
    (PEOPLE, {"email": "owner@example.com"}, "owner"),
    (PEOPLE, {"email": "a\0@example.com"}, "email"),
    ("settings/rules", {"min_balance": '"<b>'}, "0 or more"),
    ("settings/rules", {"queue_capacity": "-1"}, "a whole number from 0 to"),
    ("settings/rules", {"cooldown": "inf"}, "must be a number"),
    ("settings/rules", {"cooldown_unit": "years"}, "Not a valid choice"),
    (DENY, {"pattern": ""}, "Enter what to block."),
    (DENY, {"pattern": "*"}, "otherwise it would block everyone"),
    (DENY, {"pattern": "bot*"}, "bot* is already blocked."),
    (DENY, {"pattern": "10.0.0.0/8"}, "This network is too large. The largest are /16"),
    (NEW_WALLET, {"address": ""}, "Enter the wallet's address."),
    (NEW_WALLET, {"address": "{address}"}, "already"),
    (NEW_WALLET, {"tag_names": ["no such tag"]}, "not a valid choice"),
    (WALLET, {"alias": "x" * 101}, "100"),
    (WALLET, {"balance": "-1"}, "0 or more, such as 1250.5"),
    (NEW_TAG, {"name": ""}, "A tag needs a name."),
    (TAG, {"name": "taken"}, "already"),
]


@pytest.mark.parametrize(
    ("path", "wrong", "said"),
    [pytest.param(*one, id=f"{one[0]} {json.dumps(one[1])[:60]}") for one in MISTAKES],
)
def test_mistake_is_beside_its_field(world, owner, things, path, wrong, said):
    world.add_tag("taken")
    named = things | {"address": tracking.get_tracked(things["wallet_id"], world.balances).address}
    field, typed = next(iter(wrong.items()))
    typed = named["address"] if typed == "{address}" else typed
    before = world.dump()

    fields = FORMS.get(path, {}) | wrong | {field: typed}
    answer = owner.post(f"/dashboard/pages/{world.page_id}/{path.format(**named)}", **fields)

    assert answer.status_code == 422
    assert list_wrong_fields(answer) == [field]
    assert said in read_mistake(answer, field)
    assert "<script>alert" not in answer.text
    if re.search(f'<(input(?![^>]*(radio|checkbox))|textarea)[^>]* name="{field}"', answer.text):
        assert typed[:30] in html.unescape(answer.text)
    assert world.dump() == before


@pytest.mark.parametrize("field", [None, "a field that no form has"])
def test_mistake_of_no_field_is_above_the_form(world, owner, monkeypatch, field):
    def refuse(*_, **__):
        raise InvalidInput("Reworded <since> yesterday.", field=field)

    monkeypatch.setattr(tracking, "add_wallet", refuse)

    answer = owner.post(f"/dashboard/pages/{world.page_id}/{NEW_WALLET}", **FORMS[NEW_WALLET])

    assert answer.status_code == 422
    assert list_wrong_fields(answer) == []
    assert '<p class="wrong" role="alert">Reworded &lt;since&gt; yesterday.</p>' in answer.text
