"""What people are on a page, from the least to the most: each may also do what those before may."""

from embed.domain.texts import gettext_noop

MEMBER_ROLES = ("viewer", "reviewer", "editor")
OWNER = "owner"  # exactly one on each page
ROLES = (*MEMBER_ROLES, OWNER)

NAME_BY_ROLE = {
    "viewer": gettext_noop("Viewer"),
    "reviewer": gettext_noop("Reviewer"),
    "editor": gettext_noop("Editor"),
    "owner": gettext_noop("Owner"),
}
DESCRIPTION_BY_ROLE = {
    "viewer": gettext_noop("Reads the page, and changes nothing."),
    "reviewer": gettext_noop("Also decides on what visitors send."),
    "editor": gettext_noop(
        "Also changes wallets, tags, the policy, the look and the settings. Keys, notifications,"
        " people and the end of the page stay with its owner."
    ),
    "owner": gettext_noop("Takes the page over; you become an editor of it."),
}


def includes(role: str, least: str) -> bool:
    """Tell whether a role may do what takes at least another."""
    return ROLES.index(role) >= ROLES.index(least)
