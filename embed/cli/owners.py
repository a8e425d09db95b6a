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
    """Make an owner, and a one-time link for them to choose a password."""
    owner = owners.create_owner(email, service().clock())
    print_thing(describe(owner) | {"passwordUrl": make_password_url(owner)}, as_json=as_json)


@group.command("reset")
@click.argument("email")
@json_option
def reset(email: str, as_json: bool) -> None:
    """Make a one-time link for an owner to choose a new password."""
    owner = owners.get_owner(email)
    print_thing(describe(owner) | {"passwordUrl": make_password_url(owner)}, as_json=as_json)


def make_password_url(owner: Owner, base_url: str | None = None) -> str:
    """Return an address that works once, for a day; on PUBLIC_URL unless said otherwise."""
    token = service().password_links.close(owner.id, owner.password_hash, service().clock())
    base_url = base_url or service().settings.public_url or "http://127.0.0.1:8000"
    return f"{base_url}/dashboard/password/{token}"


@group.command("list")
@json_option
def list_all(as_json: bool) -> None:
    """Show all owners."""
    print_list([describe(owner) for owner in owners.list_owners()], as_json=as_json)
