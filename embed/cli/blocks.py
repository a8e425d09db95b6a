"""flask blocks"""

import click

from embed.db.models import Person
from embed.pages import get_page
from embed.people import accounts
from embed.serializers import describe_block
from embed.submissions import deny_list
from embed.terminal import Group, current_change, options, print_answer, print_list

group = Group("blocks", help="Manage deny lists: who can't submit to a page.")

_scope = options(
    click.argument("page", required=False),
    click.option(
        "--owner",
        metavar="EMAIL",
        help="Use the deny list for all of this owner's pages instead of PAGE's.",
    ),
)


def _find_owner(page: str | None, email: str | None) -> Person | None:
    """Return the owner, or None if a page is given. Raises click.UsageError, NotFound."""
    if (page is None) == (email is None):
        raise click.UsageError("Name either a page, or an owner by --owner EMAIL.")
    return None if email is None else accounts.get_person(email)


@group.command("add")
@_scope
@click.option("--wallet", metavar="ADDRESS", help="Block this wallet.")
@click.option(
    "--name",
    metavar="PATTERN",
    help="Block matching names. * matches any characters, ? matches one.",
)
@click.option(
    "--network", metavar="NETWORK", help="Block visitors from a network, such as 192.0.2.0/24."
)
def add(page: str | None, owner: str | None, **patterns: str | None) -> None:
    """Add an entry to a deny list.

    Give exactly one of --wallet, --name and --network.
    """
    given = [(kind, pattern) for kind, pattern in patterns.items() if pattern is not None]
    if len(given) != 1:
        raise click.UsageError("Give one of --wallet, --name and --network.")
    (kind, pattern), change = given[0], current_change()
    person = _find_owner(page, owner)
    if person is not None:
        block = deny_list.block_for_person(person, kind, pattern, change)
    else:
        block = deny_list.block_on_page(f"{page}", kind, pattern, change)
    print_answer(describe_block(block))


@group.command("list")
@_scope
def list_all(page: str | None, owner: str | None) -> None:
    """List the entries of a deny list, newest first."""
    person = _find_owner(page, owner)
    blocks = (
        deny_list.list_of_page(get_page(f"{page}"))
        if person is None
        else deny_list.list_of_person(person)
    )
    columns = ("id", "kind", "pattern", "createdBy", "createdAtIso")
    print_list([describe_block(one) for one in blocks], columns)


@group.command("remove")
@click.argument("block_id")
def remove(block_id: str) -> None:
    """Remove an entry from a deny list."""
    print_answer(describe_block(deny_list.remove_block(block_id, current_change())))
