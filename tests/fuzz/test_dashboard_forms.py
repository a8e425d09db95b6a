"""What an owner's browser may send: any fields, files and query strings."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_requests import check_answer
from strategies import byte_texts, nearly, unicode_texts
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


@given(st.data())
def test_no_query_string_fails(world, owner, data):
    paths = list_paths(world, "GET")
    path = paths[data.draw(st.integers(0, len(paths) - 1))]
    names = st.sampled_from(["q", "tag", "hidden", "page", "tab", "order", "after", "next", "lang"])
    query = data.draw(st.dictionaries(names, values | byte_texts, max_size=5))

    answer = owner.get(path, query_string={name: encode(value) for name, value in query.items()})

    check_answer(answer, path, "GET")


def encode(value):
    """Return the bytes of a text, lone surrogates included."""
    if isinstance(value, list):
        return [encode(one) for one in value]
    return value.encode("utf-8", "surrogatepass")


rows = st.lists(
    st.lists(
        unicode_texts | nearly(USDC, "=1+1", "a;b", "yes", "0.5", '"', "team") | st.just("1" * 32),
        max_size=6,
    ).map(",".join),
    max_size=6,
).map("\n".join)


@given(table=rows)
def test_applied_table_comes_back_in_the_export_and_changes_nothing_more(world, owner, table):
    base = f"/dashboard/pages/{world.page_id}/wallets"
    owner.post(f"{base}/import/apply", text=encode(table), makes_tags="y")
    exported = owner.get(f"{base}.csv").data

    answer = owner.client.post(
        f"{base}/import",
        data={"csrf_token": owner.token, "file": (io.BytesIO(exported), "wallets.csv")},
    )

    assert answer.status_code == 200
    assert "already match" in answer.text
