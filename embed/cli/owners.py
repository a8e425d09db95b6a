"""flask owners"""

import click

from embed import owners
from embed.cli.output import Group, Shown, json_option, print_list, print_thing
from embed.domain.times import format_instant
from embed.models import Owner
from embed.web.current import service

group = Group("owners", help="People who own tracking pages.")


def describe(owner: Owner) -> Shown:
    return {
        "id": owner.id,
        "email": owner.email,
        "createdAtIso": format_instant(owner.created_at),
    }


@group.command("create")
@click.argument("email")
@json_option
def create(email: str, as_json: bool) -> None:
    """Make an owner."""
    print_thing(describe(owners.create_owner(email, service().clock())), as_json=as_json)


@group.command("list")
@json_option
def list_all(as_json: bool) -> None:
    """Show all owners."""
    print_list([describe(owner) for owner in owners.list_owners()], as_json=as_json)
