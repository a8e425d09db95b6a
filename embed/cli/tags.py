"""flask tags"""

from typing import Any

import click

from embed.pages import get_page
from embed.serializers import describe_tag_for_owner
from embed.terminal import Group, current_change, print_answer, print_list
from embed.wallets import tags
from embed.wallets.tags import TagFields

group = Group("tags", help="Manage a page's tags.")

counted_option = click.option(
    "--counted/--not-counted",
    "is_counted",
    default=None,
    help="Count wallets with this tag in the list's totals (the default), or not.",
)


@group.command("add")
@click.argument("page")
@click.argument("name")
@click.argument("color")
@counted_option
def add(page: str, name: str, color: str, is_counted: bool | None) -> None:
    """Add a tag to a page.

    COLOR is a color word, such as teal.
    """
    added = tags.add_tag(page, name, color, current_change(), is_counted=is_counted is not False)
    print_answer(describe_tag_for_owner(added))


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List a page's tags."""
    print_list(
        [describe_tag_for_owner(tag) for tag in tags.list_tags(get_page(page))],
        ("id", "name", "color", "counted"),
    )


@group.command("update")
@click.argument("tag_id")
@click.option("--name", help="The new name.")
@click.option("--color", help="The new color, such as teal.")
@counted_option
def update(tag_id: str, **fields: Any) -> None:
    """Change a tag; options that you leave out keep their values."""
    changed = tags.update_tag(tag_id, TagFields(**fields), current_change())
    print_answer(describe_tag_for_owner(changed))


@group.command("remove")
@click.argument("tag_id")
def remove(tag_id: str) -> None:
    """Delete a tag and take it off all wallets."""
    print_answer(describe_tag_for_owner(tags.remove_tag(tag_id, current_change())))
