"""Which part of the documents each page of the dashboard leads to by its link to help."""

from flask import request, url_for

# By endpoint: the document, and its section.
SECTIONS = {
    "sign_in": ("dashboard", "sign-in"),
    "choose_password": ("dashboard", "sign-in"),
    "account": ("dashboard", "sign-in"),
    "list_pages": ("dashboard", "overview"),
    "show_background": ("dashboard", "background-work"),
    "create_page": ("dashboard", "the-first-page"),
    "edit_page": ("dashboard", "delete-a-page-and-restore-it"),
    "show_queue": ("dashboard", "queue"),
    "list_wallets": ("dashboard", "wallets"),
    "add_wallet": ("dashboard", "wallets"),
    "edit_wallet": ("dashboard", "wallets"),
    "change_wallets": ("dashboard", "wallets"),
    "remove_wallet": ("dashboard", "wallets"),
    "import_wallets": ("dashboard", "wallets-as-csv"),
    "apply_import": ("dashboard", "wallets-as-csv"),
    "show_embed": ("dashboard", "embed"),
    "show_activity": ("dashboard", "activity"),
    "list_tags": ("dashboard", "tags"),
    "edit_tag": ("dashboard", "tags"),
    "remove_tag": ("dashboard", "tags"),
    "list_keys": ("dashboard", "keys-and-refused-sites"),
    "create_key": ("dashboard", "keys-and-refused-sites"),
    "edit_key": ("dashboard", "keys-and-refused-sites"),
    "revoke_key": ("dashboard", "keys-and-refused-sites"),
    "edit_policy": ("dashboard", "policy"),
    "list_receivers": ("dashboard", "notifications"),
    "add_channel": ("notifications", "channels"),
    "add_webhook": ("notifications", "webhooks"),
    "rotate_secret": ("notifications", "change-the-secret"),
    "remove_receiver": ("dashboard", "notifications"),
    "show_deliveries": ("notifications", "how-messages-are-delivered"),
}


def find_help() -> str:
    """Return the address of the part of the documents for the page that is shown."""
    endpoint = (request.endpoint or "").removeprefix("dashboard.")
    document, section = SECTIONS.get(endpoint, ("dashboard", None))
    return url_for("documents.show_document", name=document, _anchor=section)
