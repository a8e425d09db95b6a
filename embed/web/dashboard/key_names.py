"""Sentences about keys that several pages show."""

from collections.abc import Iterable

from embed.db.models import ApiKey
from embed.domain.origins import parse_allowlist_entry
from embed.web.dashboard.blueprint import blueprint


@blueprint.app_template_filter("key_name")
def name_key(key: ApiKey) -> str:
    """Return the name of a key in a sentence for its owner."""
    return f"{key.label} ({key.display_prefix}…)" if key.label else f"{key.display_prefix}…"


def explain_changes(raw_origins: Iterable[str]) -> list[str]:
    """Return a sentence for each site that is stored in another form than it was typed.

    The sites were accepted before.
    """
    origins = {raw: parse_allowlist_entry(raw) for raw in raw_origins}
    return [f"{raw} is kept as {origin}." for raw, origin in origins.items() if raw != origin]
