"""Changing many wallets at once."""

import pytest
from support.world import Visitor

from embed.db.models import Wallet
from embed.domain.identifiers import make_id
from embed.errors import InvalidInput
from embed.wallets import search
from embed.wallets.bulk import MAX_CHANGED, change_wallets
from embed.wallets.search import WalletFilter


def hide(world, ids) -> int:
    return change_wallets(world.page_id, ids, "hide", world.change("owner"))


def test_as_many_as_may_be_changed_at_once_are_and_of_more_none(world):
    world.track(Visitor().address)
    ids = [Wallet.get().id, *(make_id() for _ in range(MAX_CHANGED))]

    with pytest.raises(InvalidInput, match=f"At most {MAX_CHANGED:,} wallets"):
        hide(world, ids)
    assert not Wallet.get().is_hidden

    assert hide(world, ids[:MAX_CHANGED]) == 1
    assert Wallet.get().is_hidden


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("action", ["hide", "tag", "untag", "remove"])
def test_more_are_changed_by_a_filter(world, action):
    count = MAX_CHANGED + 1
    rows = [
        {"page": world.page, "address": Visitor().address, "created_at": world.clock()}
        for _ in range(count)
    ]
    Wallet.insert_many(rows).execute()
    tag, change = world.add_tag("team"), world.change("owner")

    assert change_wallets(world.page_id, WalletFilter(), action, change, tag=tag) == count
    assert search.count_wallets(world.page) == (0 if action == "remove" else count)


def test_tag_has_to_be_chosen(world):
    world.track(Visitor().address)

    with pytest.raises(InvalidInput, match="Choose a tag"):
        change_wallets(world.page_id, [Wallet.get().id], "tag", world.change("owner"))
