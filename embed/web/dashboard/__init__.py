"""The owner's dashboard: one blueprint, a file per subject."""

from embed.web.dashboard import (
    account,
    activity,
    background,
    deliveries,
    embed_page,
    filters,
    home,
    keys,
    pages,
    people,
    policy,
    queue,
    receivers,
    tags,
    wallet_files,
    wallet_list,
    wallets,
)
from embed.web.dashboard.blueprint import blueprint, init_dashboard

__all__ = [
    "account",
    "activity",
    "background",
    "blueprint",
    "deliveries",
    "embed_page",
    "filters",
    "home",
    "init_dashboard",
    "keys",
    "pages",
    "people",
    "policy",
    "queue",
    "receivers",
    "tags",
    "wallet_files",
    "wallet_list",
    "wallets",
]
