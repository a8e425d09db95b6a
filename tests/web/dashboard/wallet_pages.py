"""The pages of wallets, and what is stored of them."""

from support.world import Visitor, read_log

from embed.wallets import tracking


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/wallets", *more])


def make_address() -> str:
    return Visitor().address


def read_all(world) -> dict[str, tuple]:
    found = tracking.list_wallets(world.page, world.balances)
    return {
        one.address: (
            one.public_alias,
            {tag.name for tag in one.tags},
            one.is_hidden,
            one.token_balance,
        )
        for one in found
    }


def latest_entry(world) -> tuple[str, str, str]:
    entry = read_log(world.page_id)[0]
    return entry.actor, entry.action, entry.subject
