"""People's roles on a page, from least to most: each may also do what the ones before it may."""

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
    "viewer": gettext_noop("Can read the page but can't change anything."),
    "reviewer": gettext_noop("Can also decide on submissions."),
    "editor": gettext_noop(
        "Can also change wallets, tags, rules, the look and the settings. Keys, notifications, "
        "people and deleting the page are up to the owner."
    ),
    "owner": gettext_noop("Becomes the owner; you become an editor."),
}


def includes(role: str, least: str) -> bool:
    """Tell whether a role may do what requires at least another."""
    return ROLES.index(role) >= ROLES.index(least)
