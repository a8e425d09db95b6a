"""flask keys"""

import click

from embed.db.models import ApiKey
from embed.domain.identifiers import Tier
from embed.keys import management
from embed.serializers import describe_key
from embed.terminal import Group, format_answer, print_answer, print_list, runtime

group = Group("keys", help="Bearer keys, each for one page.")


@group.command("create")
@click.argument("page")
@click.option("--tier", type=click.Choice(["public", "secret"]), required=True)
@click.option("--origin", "origins", multiple=True, help="A site that may use it; repeatable.")
@click.option("--allow-null-origin", is_flag=True, help="Also let in callers without an origin.")
@click.option("--label", help="What the key is for; only owners see it.")
def create(
    page: str,
    tier: Tier,
    origins: tuple[str, ...],
    allow_null_origin: bool,
    label: str | None,
) -> None:
    """Create a key and print it. It is not shown again."""
    api_key, key = management.create_key(
        page,
        tier,
        raw_origins=origins,
        allow_null_origin=allow_null_origin,
        raw_label=label,
        now=runtime().clock(),
    )
    described = {"key": key} | describe_key(api_key)
    print_answer(described, f"{format_answer(described)}\n\n{_advise(api_key)}")


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """Show a page's keys."""
    print_list(
        [describe_key(key) for key in management.list_keys(page)],
        ("id", "tier", "displayPrefix", "label", "origins", "revokedAtIso"),
    )


@group.command("revoke")
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """Refuse a key from the next request on."""
    print_answer(describe_key(management.revoke_key(key_id, runtime().clock())))


def _advise(key: ApiKey) -> str:
    """Return advice for the owner of a new key."""
    advice = "Keep the key now: it is not shown again."
    if key.allow_null_origin:
        advice += (
            "\nIt also works in local files, sandboxed frames and scripts. No rule can name"
            " those, so any site may frame its widget."
        )
    elif key.tier == "public" and not key.origins:
        advice += "\nIt lists no origin, so it works on this service's own pages only."
    return advice
