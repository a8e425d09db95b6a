"""Parts of the widget that a site may leave out, by `hide=` in the widget's address."""

HIDEABLE_PARTS = ("heading", "tools", "changes", "add")


def parse_hidden_parts(raw: str) -> frozenset[str]:
    """Return the parts that are named, with commas between them; unknown names are ignored."""
    return frozenset(raw.split(",")) & frozenset(HIDEABLE_PARTS)
