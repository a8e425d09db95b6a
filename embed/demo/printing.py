"""What the demo prints when it is ready: addresses to open, and commands to try."""

from collections.abc import Mapping
from typing import Any

import click

from embed.demo.installation import write_command
from embed.demo.tracking_page import DemoPage
from embed.submissions import queries
from embed.terminal import print_record


def print_addresses(
    base_url: str,
    page: DemoPage,
    summary: Mapping[str, Any],
    environ: Mapping[str, str],
    *,
    as_json: bool,
) -> None:
    api_url = f"{base_url}/api/embed/tracking/{page.id}"
    if as_json:
        record = {
            "id": page.id,
            "publicKey": page.public_key,
            "secretKey": page.secret_key,
            "apiUrl": api_url,
            **summary,
        }
        print_record(record, as_json=True)
        return
    click.echo(f"""
Open the site:    {summary["hostUrl"]}  (the widget in a frame, with a test wallet)
Read the mailbox: {summary["mailboxUrl"]}  (what the service writes to the owner)
Open the widget:  {summary["widgetUrl"]}
Be its owner:     {summary["dashboardUrl"]}
                  (choose a password; from then on sign in as {page.owner.email})
{_write_commands(page.id, environ)}
Read the page:    curl -H 'Authorization: Bearer {page.secret_key}' {api_url}
Public key:       {page.public_key}
Secret key:       {page.secret_key}

The next run makes new keys, and these stop working. Press Ctrl-C to end the demo.""")


def _write_commands(page_id: str, environ: Mapping[str, str]) -> str:
    list_pending = write_command(environ, "submissions", "list", page_id, "--status", "pending")
    lines = [f"See what waits:   {list_pending}"]
    for waiting in queries.list_of_page(page_id, status="pending", limit=1):
        approve = write_command(environ, "submissions", "approve", waiting.id)
        lines.append(f"Approve a wallet: {approve}")
    return "\n".join(lines)
