"""The widget that sites embed: one blueprint, with a file for each subject."""

from embed.web.widget import iframe, own, pictures, receipts, shared_page, signing, wallet_details
from embed.web.widget.blueprint import blueprint

__all__ = [
    "blueprint",
    "iframe",
    "own",
    "pictures",
    "receipts",
    "shared_page",
    "signing",
    "wallet_details",
]
