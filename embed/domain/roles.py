"""What people are on a page, from the least to the most: each may also do what those before may."""

MEMBER_ROLES = ("viewer", "reviewer", "editor")
OWNER = "owner"  # exactly one on each page
ROLES = (*MEMBER_ROLES, OWNER)


def includes(role: str, least: str) -> bool:
    """Tell whether a role may do what takes at least another."""
    return ROLES.index(role) >= ROLES.index(least)
