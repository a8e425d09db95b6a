"""flask tags"""

import click

from embed.pages import get_page
from embed.serializers import describe_tag
from embed.terminal import Group, print_answer, runtime
from embed.wallets import tags

group = Group("tags", help="Tags for a page's wallets.")


@group.command("add")
@click.argument("page")
@click.argument("name")
@click.argument("color")
def add(page: str, name: str, color: str) -> None:
    """Add a tag; COLOR is a plain color word."""
    print_answer(describe_tag(tags.add_tag(page, name, color, runtime().clock())))


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List a page's tags."""
    print_answer([describe_tag(tag) for tag in tags.list_tags(get_page(page))])


@group.command("remove")
@click.argument("tag_id")
def remove(tag_id: str) -> None:
    """Remove a tag, also from the wallets that have it."""
    print_answer(describe_tag(tags.remove_tag(tag_id, runtime().clock())))
