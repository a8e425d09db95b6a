"""Imports that meet other changes of the page."""

from support.world import Visitor

from embed.balances.known import BalanceSource
from embed.db.models import Balance
from embed.people import accounts
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table
from embed.wallets.imports import apply_import


class HandingOver(BalanceSource):
    """Hands the page over when balances are first read, as if somebody did so at that moment."""

    def __init__(self, world, next_owner) -> None:
        super().__init__(uses_chain=False)
        self._world, self._next_owner = world, next_owner

    def join(self, query, page):
        if self._world.page.owner != self._next_owner:
            self._world.configure(owner=self._next_owner)
        return super().join(query, page)


def test_balances_are_the_next_owners_if_the_page_is_handed_over_meanwhile(world):
    next_owner = accounts.create_person("next@example.com", world.clock())
    address = Visitor().address
    table = read_table(f"address,balance\n{address},5", max_wallets=1)

    apply_import(
        world.page_id,
        parse_table(table),
        world.change(),
        balances=HandingOver(world, next_owner),
        makes_tags=False,
    )

    assert [one.owner for one in Balance.select()] == [next_owner]
    assert world.balances.get_balance(world.page, address) == 5
