"""The owner's dashboard: one blueprint, a file per subject."""

from embed.web.dashboard import (
    account,
    activity,
    embed_code,
    filters,
    keys,
    pages,
    policy,
    queue,
    tags,
    wallet_files,
    wallets,
)
from embed.web.dashboard.blueprint import blueprint, init_dashboard

__all__ = [
    "account",
    "activity",
    "blueprint",
    "embed_code",
    "filters",
    "init_dashboard",
    "keys",
    "pages",
    "policy",
    "queue",
    "tags",
    "wallet_files",
    "wallets",
]
