"""flask demo: create and serve a sample page, and submit wallets as visitors over HTTP."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, cast

import click
from flask import current_app, render_template
from flask.cli import with_appcontext

from embed.db import connection, schema_version
from embed.demo.host_site import serve_host_site
from embed.demo.installation import hold_folder, make_environ, names_database, write_command
from embed.demo.mailbox import serve_mailbox
from embed.demo.market import Market, run_market
from embed.demo.service import check_free, run_service
from embed.demo.story import act
from embed.demo.tracking_page import (
    TOKEN_NAME,
    TOKEN_SYMBOL,
    WALLET_COUNT,
    DemoPage,
    make_demo_page,
)
from embed.domain.passwords import PasswordLinkSigner
from embed.owners import build_password_url
from embed.settings import Settings, SettingsError
from embed.submissions import queries
from embed.terminal import Command, json_option, print_object, runtime

LAST_PORT = 65535
REFRESH = "15 seconds"


@click.command("demo", cls=Command)
@click.option("--port", type=click.IntRange(1, LAST_PORT), default=8000, show_default=True)
@click.option(
    "--host-port",
    type=click.IntRange(1, LAST_PORT),
    help="Where a sample site shows the widget.  [default: the port after --port]",
)
@json_option
@with_appcontext
def command(port: int, host_port: int | None, as_json: bool) -> None:
    """Create a sample page, serve it, act as two visitors, and keep serving."""
    _run(port, host_port or _next_port(port), as_json)


def _run(port: int, host_port: int, as_json: bool) -> None:
    say = _say_nothing if as_json else click.echo
    base_url = f"http://127.0.0.1:{port}"
    host_url = f"http://localhost:{host_port}"  # browsers treat it as another site
    with ExitStack() as servers:
        environ, settings, lock = _read_settings(servers)
        check_free(port, "--port")
        check_free(host_port, "--host-port")
        connection.open_database(settings.database_url)
        schema_version.upgrade()
        mailbox, smtp_url = servers.enter_context(serve_mailbox())
        settings = replace(settings, smtp_url=smtp_url)
        page = make_demo_page([host_url], settings, runtime().clock())
        say(f"1. The page {page.id} tracks {WALLET_COUNT} wallets made for the demo.")
        market = Market(page.mint, TOKEN_NAME, TOKEN_SYMBOL, page.units)
        rpc_url = servers.enter_context(run_market(market))
        environ |= {
            "PUBLIC_URL": base_url,
            "SOLANA_RPC_URL": rpc_url,
            "BALANCE_REFRESH": REFRESH,
            "SMTP_URL": smtp_url,
        }
        widget_url = f"{base_url}/embed/tracking/{page.id}?key={page.public_key}"
        pages = {
            "/": _make_renderer("demo/host.html", base_url=base_url, widget_url=widget_url),
            "/mailbox": _make_renderer("demo/mailbox.html", mailbox=mailbox),
        }
        servers.enter_context(serve_host_site(pages, host_port))
        server = servers.enter_context(run_service(port, environ, lock))
        say(f"2. gunicorn serves it at {base_url}, and reads balances from a ledger made for it.")
        summary = act(base_url, page, market, mailbox, say)
        links = PasswordLinkSigner(settings.secret_keys, runtime().clock)
        dashboard_url = build_password_url(page.owner, links, base_url)
        summary |= {"hostUrl": host_url, "mailboxUrl": f"{host_url}/mailbox"}
        summary |= {"widgetUrl": widget_url, "dashboardUrl": dashboard_url}
        _print_addresses(base_url, page, summary, environ, as_json=as_json)
        server.wait()


def _read_settings(servers: ExitStack) -> tuple[dict[str, str], Settings, int | None]:
    """Return also the lock of the demo's folder, unless another database is used."""
    try:
        lock = None if names_database(os.environ) else servers.enter_context(hold_folder())
        environ = make_environ(os.environ)
        return environ, Settings.from_environ(environ), lock
    except SettingsError as mistake:
        raise click.ClickException(str(mistake)) from None


def _make_renderer(template: str, **context: Any) -> Callable[[], str]:
    """Return what renders a template, also in the threads of another server."""
    app = cast(Any, current_app)._get_current_object()

    def render() -> str:
        with app.app_context():
            return render_template(template, **context)

    return render


def _next_port(port: int) -> int:
    return port + 1 if port < LAST_PORT else port - 1


def _say_nothing(_: str) -> None:
    """Print nothing: standard output is for the JSON document only."""


def _print_addresses(
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
        print_object(record, as_json=True)
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
