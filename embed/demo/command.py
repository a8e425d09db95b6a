"""flask demo: create and serve a sample page, and submit a wallet as a visitor over HTTP."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.error import HTTPError

import click
from flask import render_template
from flask.cli import with_appcontext

from embed.db import connection
from embed.demo.host_site import serve_host_page
from embed.demo.tracking_page import WALLET_COUNT, DemoPage, make_demo_page
from embed.demo.visitor import DemoVisitor
from embed.owners import build_password_url
from embed.settings import PROJECT_DIR
from embed.terminal import Command, json_option, print_record, runtime

START_LIMIT_S = 30
LAST_PORT = 65535


@click.command("demo", cls=Command)
@click.option("--port", type=click.IntRange(1, LAST_PORT), default=8000, show_default=True)
@click.option(
    "--host-port",
    type=click.IntRange(1, LAST_PORT),
    help="Where a made-up site shows the widget.  [default: the port after --port]",
)
@json_option
@with_appcontext
def command(port: int, host_port: int | None, as_json: bool) -> None:
    """Make a page, serve it, act as a visitor once, and keep serving."""
    _run(port, host_port or _next_port(port), as_json)


def _run(port: int, host_port: int, as_json: bool) -> None:
    say = _say_nothing if as_json else click.echo
    base_url = f"http://127.0.0.1:{port}"
    host_url = f"http://localhost:{host_port}"  # browsers treat it as another site
    _check_free(port, "--port")
    _check_free(host_port, "--host-port")
    connection.upgrade()
    page = make_demo_page([host_url], runtime().clock())
    widget_url = f"{base_url}/embed/tracking/{page.id}?key={page.public_key}"
    host_page = render_template("demo/host.html", base_url=base_url, widget_url=widget_url)
    say(f"1. The page {page.id} tracks {WALLET_COUNT} wallets made for the demo.")
    with _serve(port) as server, serve_host_page(host_page, host_port):
        _wait_until_served(server, port)
        say(f"2. gunicorn serves it at {base_url}")
        try:
            summary = _act_as_visitor(base_url, page, say)
        except HTTPError as error:
            raise click.ClickException(f"The service refused the visitor: {error}.") from None
        dashboard_url = build_password_url(page.owner, runtime().password_links, base_url)
        summary |= {"hostUrl": host_url, "widgetUrl": widget_url, "dashboardUrl": dashboard_url}
        _print_addresses(base_url, page, summary, as_json)
        server.wait()


def _act_as_visitor(base_url: str, page: DemoPage, say: Any) -> dict[str, Any]:
    visitor = DemoVisitor(base_url, page.id, page.public_key)
    visitor.open_widget()
    say("3. A visitor opens the widget and gets a session cookie.")
    nonce = visitor.request_nonce()
    say(f"4. The wallet {visitor.wallet_address} gets a nonce and this message to sign:")
    say("\n".join(f"   | {line}" for line in nonce["message"].splitlines()))
    submitted = visitor.submit(nonce, "Demo visitor")
    say(f"5. Signed and submitted: {submitted['submissionId']} is {submitted['status']}.")
    say(f"6. The visitor's own list says: {visitor.list_submissions()[0]['status']}.")
    approval = ["flask", "submissions", "approve", submitted["submissionId"]]
    ended = subprocess.run(  # noqa: S603 -- our own command line
        [sys.executable, "-m", *approval], cwd=PROJECT_DIR, capture_output=True, text=True
    )
    if ended.returncode:
        raise click.ClickException(ended.stderr.strip().removeprefix("Error: "))
    say(f"7. The owner approves by command: {' '.join(approval)}")
    say(f"8. The visitor's own list says: {visitor.list_submissions()[0]['status']}.")
    shown = next(
        wallet
        for wallet in visitor.read_page()["wallets"]
        if wallet["address"] == visitor.wallet_address
    )
    say(f"9. The public payload lists the wallet as {shown['publicAlias']!r}.")
    return {"submissionId": submitted["submissionId"], "walletAddress": visitor.wallet_address}


def _print_addresses(base_url: str, page: DemoPage, summary: dict[str, Any], as_json: bool) -> None:
    api_url = f"{base_url}/api/embed/tracking/{page.id}"
    if as_json:
        print_record(
            {
                "id": page.id,
                "publicKey": page.public_key,
                "secretKey": page.secret_key,
                "apiUrl": api_url,
                **summary,
            },
            as_json=True,
        )
        return
    click.echo(f"""
Open the site:    {summary["hostUrl"]}  (the widget in a frame, with a test wallet)
Open the widget:  {summary["widgetUrl"]}
Be its owner:     {summary["dashboardUrl"]}
                  (choose a password; from then on sign in as {page.owner.email})
Approve a wallet: flask submissions list {page.id} --status pending
                  flask submissions approve ID
Read the page:    curl -H 'Authorization: Bearer {page.secret_key}' {api_url}
Public key:       {page.public_key}
Secret key:       {page.secret_key}

The keys are of this run; the next one makes new ones. Ctrl-C ends the demo.""")


def _check_free(port: int, option: str) -> None:
    """Raises click.ClickException if something listens there already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise click.ClickException(
                f"Port {port} cannot be used ({error.strerror}); choose another with {option}."
            ) from None


@contextmanager
def _serve(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run gunicorn as a subprocess, and stop it however the demo ends."""
    options = ["--bind", f"127.0.0.1:{port}", "--log-level", "warning"]
    arguments = ["gunicorn", "embed.factory:create_demo_app()", *options]
    server = subprocess.Popen(  # noqa: S603 -- our own command line
        [sys.executable, "-m", *arguments],
        cwd=PROJECT_DIR,
        env=_without_public_url(),
        # Ctrl-C goes to a whole process group. A worker of gunicorn that gets it besides its
        # arbiter's signal may deadlock, and is killed only after the graceful timeout of 30 s.
        process_group=0,
    )
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield server
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        server.terminate()
        server.wait()


def _without_public_url() -> dict[str, str]:
    """Return the environment without PUBLIC_URL, which would refuse the demo's address."""
    return {name: value for name, value in os.environ.items() if name != "PUBLIC_URL"}


def _wait_until_served(server: subprocess.Popen[bytes], port: int) -> None:
    """Raises click.ClickException when the server ends or does not listen in time."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise click.ClickException("gunicorn could not start; its own words are above.")
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise click.ClickException(f"gunicorn did not listen on port {port} in {START_LIMIT_S} s.")


def _next_port(port: int) -> int:
    return port + 1 if port < LAST_PORT else port - 1


def _say_nothing(_: str) -> None:
    """Print nothing: standard output is for the JSON document only."""
