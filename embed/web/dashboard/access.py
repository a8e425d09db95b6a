"""Who may use which route of the dashboard, and which ask "Is it you?": the one table of each.

A route that is not in the first answers nobody.
"""

from embed.domain.roles import OWNER, ROLES, includes

ANYBODY = "anybody"  # signed in or not
PERSON = "person"  # everyone who is signed in
HOST = "host"  # a person who may create pages

# By endpoint: what it takes, and where it differs, what it takes to change something.
_NEEDED = {
    "sign_in": ANYBODY,
    "sign_in_by_passkey": ANYBODY,
    "choose_password": ANYBODY,
    "accept_invitation": ANYBODY,
    "stop_mail_by_link": ANYBODY,
    "decide_by_link": ANYBODY,  # everyone who has the link
    "sign_out": PERSON,
    "account": PERSON,
    "confirm": PERSON,
    "show_account_log": PERSON,
    "list_passkeys": PERSON,
    "remove_passkey": PERSON,
    "end_session": PERSON,
    "end_other_sessions": PERSON,
    "choose_language": PERSON,
    "choose_theme": PERSON,
    "list_pages": PERSON,
    "show_background": PERSON,
    "show_server": HOST,
    "create_page": HOST,
    "show_page": "viewer",
    "show_queue": "viewer",
    "read_news": "viewer",
    "decide": "reviewer",
    "undo_decision": "reviewer",
    "show_activity": "viewer",
    "start_mail": "viewer",
    "stop_mail": "viewer",
    "let_mail_decide": "reviewer",
    "end_deciding_by_mail": "viewer",
    "list_wallets": "viewer",
    "export_wallets": "viewer",
    "add_wallet": "editor",
    "edit_wallet": "editor",
    "remove_wallet": "editor",
    "change_wallets": "editor",
    "show_suggestions": "editor",
    "look_up_suggestions": "editor",
    "add_suggestions": "editor",
    "import_wallets": "editor",
    "apply_import": "editor",
    "list_tags": "viewer",
    "add_tag": "editor",
    "edit_tag": "editor",
    "remove_tag": "editor",
    "edit_policy": "viewer",
    "edit_policy POST": "editor",
    "list_blocks": "reviewer",
    "add_block": "editor",
    "remove_block": "editor",
    "show_embed": "editor",
    "show_embed POST": OWNER,  # it creates a key
    "show_preview": "editor",
    "show_contrast": "editor",
    "save_look": "editor",
    "share_page": OWNER,
    "edit_page": "editor",
    "leave_page": "viewer",
    "delete_page": OWNER,
    "restore_page": OWNER,
    "list_people": OWNER,
    "invite_person": OWNER,
    "change_role": OWNER,
    "remove_person": OWNER,
    "revoke_invitation": OWNER,
    "list_keys": OWNER,
    "create_key": OWNER,
    "edit_key": OWNER,
    "revoke_key": OWNER,
    "allow_origin": OWNER,
    "forget_origin": OWNER,
    "list_receivers": OWNER,
    "add_channel": OWNER,
    "add_webhook": OWNER,
    "remove_receiver": OWNER,
    "let_channel_decide": OWNER,
    "end_deciding": OWNER,
    "rotate_secret": OWNER,
    "send_test": OWNER,
    "show_deliveries": OWNER,
    "send_again": OWNER,
    "send_all_again": OWNER,
}
# By endpoint, and where only one method asks, by that too (confirmation.py).
CONFIRMED = {
    "list_passkeys",
    "remove_passkey",
    "list_keys",
    "create_key",
    "edit_key",
    "revoke_key",
    "allow_origin",
    "show_embed POST",  # it creates a key
    "share_page",
    "list_people",
    "invite_person",
    "change_role",
    "remove_person",
    "revoke_invitation",
    "add_channel",
    "add_webhook",
    "let_channel_decide",
    "let_mail_decide",
    "rotate_secret",
    "export_wallets",
    "delete_page",
}


def find_needed(endpoint: str, method: str) -> str | None:
    """Return a role on the page that is named, or one of the words above; None: nobody may."""
    name = endpoint.removeprefix("dashboard.")
    return _NEEDED.get(f"{name} {method}") or _NEEDED.get(name)


def needs_confirmation(endpoint: str, method: str) -> bool:
    """Tell whether a person has to have shown lately that it is them."""
    name = endpoint.removeprefix("dashboard.")
    return name in CONFIRMED or f"{name} {method}" in CONFIRMED


def may(endpoint: str, role: str, method: str = "POST") -> bool:
    """Tell whether a role may use a route of a page, whose name has no prefix here."""
    needed = find_needed(endpoint, method)
    return needed in ROLES and includes(role, needed)
