"""The owner's dashboard: one blueprint, a file per subject."""

from embed.web.dashboard import (  # noqa: F401  # their routes join the blueprint
    account,
    activity,
    confirmation,
    decision_link,
    deliveries,
    embed_page,
    filters,
    keys,
    pages,
    passkeys,
    people,
    policy,
    queue,
    receivers,
    server,
    settings,
    setup,
    sign_in,
    tags,
    wallet_files,
    wallet_list,
    wallets,
)
from embed.web.dashboard.blueprint import init_dashboard, use_secret_keys

__all__ = ["init_dashboard", "use_secret_keys"]
