"""flask tags"""

import click

from embed.pages import get_page
from embed.serializers import as_dict, describe_tag
from embed.terminal import Group, json_option, print_list, print_object, runtime
from embed.wallets import tags

group = Group("tags", help="Tags for a page's wallets.")


@group.command("add")
@click.argument("page")
@click.argument("name")
@click.argument("color")
@json_option
def add(page: str, name: str, color: str, as_json: bool) -> None:
    """Add a tag; COLOR is a plain color word."""
    print_object(
        as_dict(describe_tag(tags.add_tag(page, name, color, runtime().clock()))), as_json=as_json
    )


@group.command("list")
@click.argument("page")
@json_option
def list_all(page: str, as_json: bool) -> None:
    """List a page's tags."""
    print_list(
        [as_dict(describe_tag(tag)) for tag in tags.list_tags(get_page(page))], as_json=as_json
    )


@group.command("remove")
@click.argument("tag_id")
@json_option
def remove(tag_id: str, as_json: bool) -> None:
    """Remove a tag, also from the wallets that have it."""
    print_object(as_dict(describe_tag(tags.remove_tag(tag_id, runtime().clock()))), as_json=as_json)
