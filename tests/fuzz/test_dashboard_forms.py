"""What an owner's browser may send: any fields, files and query strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_requests import check_answer
from strategies import nearly, unicode_texts
from support.owner_browser import OwnerBrowser
from support.world import USDC

pytestmark = pytest.mark.slow

FIELDS = (
    "email", "password", "present_password", "next", "sure", "change",
    "decision", "token_name", "token_symbol", "token_mint", "public_title", "public_comments",
    "owner", "address", "alias", "tag_names", "is_hidden", "balance", "name", "color", "origins",
    "origin", "allow_null_origin", "min_balance", "queue_capacity", "cooldown", "trust_after",
    "cooldown_unit", "auto_approve", "ids", "wallet", "tag", "text", "makes_tags", "target",
    "event_types", "reason", "reason_text", "code", "offer", "role", "passkey", "present_passkey",
    "nonceId", "signature", "download", "public", "pattern", "scope", "preview", "service",
)  # fmt: skip
# Following these would end the owner's session or take away what the others need.
LEFT_OUT = {
    f"dashboard.{name}"
    for name in ("sign_out", "choose_password", "account", "set_password", "delete_page")
}
values = unicode_texts | nearly(
    USDC, "0.5", "1e400", "https://a.example", "team", "blue", "y", "approve"
)


@pytest.fixture(scope="module")
def owner(world) -> OwnerBrowser:
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    return owner


def list_paths(world, method: str) -> list[str]:
    values = {"page_id": world.page_id, "tier": "public", "place": "tags"}
    adapter = world.app.url_map.bind("localhost")
    return [
        adapter.build(
            rule.endpoint, {name: values.get(name, "x" * 20) for name in rule.arguments}, method
        )
        for rule in world.app.url_map.iter_rules()
        if rule.endpoint.startswith("dashboard.")
        and rule.endpoint not in LEFT_OUT
        and method in rule.methods
    ]


@given(st.data())
def test_no_form_fails(world, owner, data):
    paths = list_paths(world, "POST")
    path = paths[data.draw(st.integers(0, len(paths) - 1))]
    fields = data.draw(
        st.dictionaries(st.sampled_from(FIELDS), values | st.lists(values, max_size=3), max_size=8)
    )
    fields = {name: encode(value) for name, value in fields.items()}

    answer = owner.client.post(path, data={"csrf_token": owner.token} | fields)

    check_answer(answer, path, "POST")


def encode(value):
    """Return the bytes of a text, lone surrogates included."""
    if isinstance(value, list):
        return [encode(one) for one in value]
    return value.encode("utf-8", "surrogatepass")
