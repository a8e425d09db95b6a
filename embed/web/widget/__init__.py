"""The widget that sites embed: one blueprint, with a file per route."""

from embed.web.widget import (
    changes,
    feed,
    flow,
    iframe,
    receipt_check,
    receipts,
    signing_window,
    wallet_links,
)
from embed.web.widget.blueprint import blueprint

__all__ = [
    "blueprint",
    "changes",
    "feed",
    "flow",
    "iframe",
    "receipt_check",
    "receipts",
    "signing_window",
    "wallet_links",
]
