"""flask keys"""

import click

from embed.db.models import ApiKey
from embed.domain.identifiers import Tier
from embed.keys import management
from embed.serializers import describe_key
from embed.terminal import Group, current_change, format_answer, print_answer, print_list

group = Group("keys", help="Manage a page's API keys.")


@group.command("create")
@click.argument("page")
@click.option(
    "--tier",
    type=click.Choice(["public", "secret"]),
    required=True,
    help="A public key is for browsers on the sites you name; a secret key is for servers.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    help="A site that can use the key, such as https://example.com. Repeatable.",
)
@click.option("--allow-null-origin", is_flag=True, help="Also accept the origin null or no origin.")
@click.option("--label", help="A note about what the key is for. Visitors don't see it.")
def create(
    page: str,
    tier: Tier,
    origins: tuple[str, ...],
    allow_null_origin: bool,
    label: str | None,
) -> None:
    """Create an API key and print it.

    The key is shown only once.
    """
    api_key, key = management.create_key(
        page,
        tier,
        current_change(),
        raw_origins=origins,
        allow_null_origin=allow_null_origin,
        raw_label=label,
    )
    described = {"key": key} | describe_key(api_key)
    print_answer(described, f"{format_answer(described)}\n\n{_advise(api_key)}")


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List a page's API keys, shortened to their first characters."""
    print_list(
        [describe_key(key) for key in management.list_keys(page)],
        ("id", "tier", "displayPrefix", "label", "origins", "revokedAtIso"),
    )


@group.command("revoke")
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """Revoke an API key, immediately and for good."""
    print_answer(describe_key(management.revoke_key(key_id, current_change())))


def _advise(key: ApiKey) -> str:
    advice = "Keep the key now: it is not shown again."
    if key.allow_null_origin:
        advice += (
            "\nIt also works in local files, sandboxed frames and scripts. No rule can name"
            " those, so any site may frame its widget."
        )
    elif key.tier == "public" and not key.origins:
        advice += "\nIt lists no origin, so it works on this service's own pages only."
    return advice
