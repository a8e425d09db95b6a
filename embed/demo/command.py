"""flask demo: create and serve a sample page, and submit wallets as visitors over HTTP."""

import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack

import click

from embed.db import connection, schema_version
from embed.demo.host_site import RPC_PATH, create_site, serve
from embed.demo.installation import open_installation, write_command
from embed.demo.mailbox import serve_mailbox
from embed.demo.market import Market
from embed.demo.service import check_started, listen, run_service
from embed.demo.story import Say, act
from embed.demo.tracking_page import (
    OWNER,
    REVIEWER,
    TOKEN_NAME,
    TOKEN_SYMBOL,
    WALLET_COUNT,
    DemoPage,
    make_demo_page,
)
from embed.domain.signing import Signer
from embed.people.passwords import build_link
from embed.settings import Settings
from embed.submissions import queries
from embed.terminal import Command, print_answer, runtime, wants_json

LAST_PORT = 65535
REFRESH = "15 seconds"


@click.command("demo", cls=Command)
@click.option("--port", type=click.IntRange(1, LAST_PORT), default=8000, show_default=True)
@click.option(
    "--host-port",
    type=click.IntRange(1, LAST_PORT),
    help="Where a sample site shows the widget.  [default: the port after --port]",
)
def command(port: int, host_port: int | None) -> None:
    """Create a sample page, serve it, act as two visitors, and keep serving."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    neighbour = port + 1 if port < LAST_PORT else port - 1
    _run(port, host_port or neighbour)


def _run(port: int, host_port: int) -> None:
    # With --json, standard output is for the document only.
    say: Say = (lambda _: None) if wants_json() else click.echo
    base_url = f"http://127.0.0.1:{port}"
    host_url = f"http://localhost:{host_port}"  # browsers treat it as another site
    installation, lock = open_installation(os.environ)
    with ExitStack() as servers:
        listener = servers.enter_context(listen(port, "--port"))
        host_listener = servers.enter_context(listen(host_port, "--host-port"))
        mailbox, smtp_url = servers.enter_context(serve_mailbox())
        environ = {
            **os.environ,
            **installation,
            # The demo has its owner, and its gunicorn does the background work itself.
            "BACKGROUND": "",
            "QUEUE_URL": "",
            "FIRST_OWNER": "",
            "PUBLIC_URL": base_url,
            "SOLANA_RPC_URL": f"http://127.0.0.1:{host_port}{RPC_PATH}",
            "BALANCE_REFRESH": REFRESH,
            "SMTP_URL": smtp_url,
        }
        settings = Settings.from_environ(environ).with_secret_key()
        connection.open_database(settings.database_url)
        schema_version.upgrade()
        # It starts while the page is made, which takes half as long.
        server = servers.enter_context(run_service(listener, environ, lock))
        page = make_demo_page([host_url], settings, runtime().clock())
        say(f"1. The page {page.id} tracks {WALLET_COUNT} wallets made for the demo.")
        market = Market(page.mint, TOKEN_NAME, TOKEN_SYMBOL, page.units)
        threading.Thread(target=market.keep_trading, daemon=True).start()
        shown = _list_addresses(page, base_url, host_url, settings)
        site = create_site(base_url, shown["widgetUrl"], mailbox, market)
        servers.enter_context(serve(site, host_listener))
        check_started(base_url)
        say(f"2. gunicorn serves it at {base_url}, and reads balances from a ledger made for it.")
        shown |= act(base_url, page, market, mailbox, say)
        print_answer(shown, _describe(shown, installation | {"PUBLIC_URL": base_url}))
        server.wait()


def _list_addresses(
    page: DemoPage, base_url: str, host_url: str, settings: Settings
) -> dict[str, str]:
    """Return what the demo shows of its page, named as in the JSON document."""
    signer = Signer(settings.secret_keys, runtime().clock)
    return {
        "id": page.id,
        "publicKey": page.public_key,
        "secretKey": page.secret_key,
        "apiUrl": f"{base_url}/api/embed/tracking/{page.id}",
        "hostUrl": host_url,
        "mailboxUrl": f"{host_url}/mailbox",
        "widgetUrl": base_url + page.widget_path,
        "dashboardUrl": build_link(page.owner, signer, base_url),
        "reviewerUrl": build_link(page.reviewer, signer, base_url),
    }


def _describe(shown: dict[str, str], installation: Mapping[str, str]) -> str:
    return f"""
Open the site:    {shown["hostUrl"]}  (the widget in a frame, with a test wallet)
Read the mailbox: {shown["mailboxUrl"]}  (what the owner is told, with links that decide)
Open the widget:  {shown["widgetUrl"]}
Be its owner:     {shown["dashboardUrl"]}
                  (choose a password; from then on sign in as {OWNER})
Be a reviewer:    {shown["reviewerUrl"]}
                  (in another browser, or in a private window; then as {REVIEWER})
{_write_commands(shown["id"], installation)}
Read the page:    curl -H 'Authorization: Bearer {shown["secretKey"]}' {shown["apiUrl"]}
Public key:       {shown["publicKey"]}
Secret key:       {shown["secretKey"]}

The next run makes new keys, and these stop working. Press Ctrl-C to end the demo."""


def _write_commands(page_id: str, installation: Mapping[str, str]) -> str:
    list_pending = write_command(
        installation, "submissions", "list", page_id, "--status", "pending"
    )
    lines = [f"See what waits:   {list_pending}"]
    for waiting in queries.list_of_page(page_id, status="pending", limit=1):
        approve = write_command(installation, "submissions", "approve", waiting.id)
        lines.append(f"Approve a wallet: {approve}")
    return "\n".join(lines)
