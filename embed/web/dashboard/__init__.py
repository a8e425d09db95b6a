"""The owner's dashboard: one blueprint, a file per subject."""

from embed.web.dashboard import account, pages
from embed.web.dashboard.blueprint import blueprint, init_dashboard

__all__ = ["account", "blueprint", "init_dashboard", "pages"]
