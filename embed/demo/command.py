"""flask demo: create and serve a sample page, act as two visitors, and keep serving."""

import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import click
from flask import Flask, redirect, render_template, request
from werkzeug.serving import make_server

import embed
from embed.db import connection, schema_version
from embed.demo.market import Market
from embed.demo.tracking_page import OWNER, REVIEWER, WALLETS, make_demo_page
from embed.demo.visitors import act, open_url
from embed.domain.signing import Signer
from embed.events.editing import COMMAND_LINE, Change
from embed.people.passwords import build_link
from embed.settings import INSTANCE_DIR, PROJECT_DIR, Settings
from embed.terminal import Command, print_answer, runtime, wants_json

DEMO_DIR = INSTANCE_DIR / "demo"
LAST_PORT = 65535
START_LIMIT_S, TOLD_LIMIT_S = 30, 30
RPC_PATH, TOLD_PATH = "/rpc", "/told"  # on the second server


@click.command("demo", cls=Command)
@click.option(
    "--port",
    type=click.IntRange(1, LAST_PORT),
    default=8000,
    show_default=True,
    metavar="PORT",
    help="Port of the service.",
)
@click.option(
    "--host-port",
    type=click.IntRange(1, LAST_PORT),
    metavar="PORT",
    help="Port of the sample site.  [default: the port after --port]",
)
def command(port: int, host_port: int | None) -> None:
    """Run a demo: a sample page on a sample site.

    It acts as two visitors, prints one-time links to the dashboard, and runs until you press
    Ctrl-C. Its data is in the folder demo in INSTANCE_DIR, or in DATABASE_URL if you set that.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    host_port = host_port or (port + 1 if port < LAST_PORT else port - 1)
    # With --json, standard output is for the document only.
    say: Callable[[str], None] = (lambda _: None) if wants_json() else click.echo
    with suppress(KeyboardInterrupt), ExitStack() as servers:
        _run(port, host_port, servers, say)


def _run(port: int, host_port: int, servers: ExitStack, say: Callable[[str], None]) -> None:
    base_url = f"http://127.0.0.1:{port}"
    site_url = f"http://localhost:{host_port}"  # a different site to browsers
    own_url = f"http://127.0.0.1:{host_port}"  # the same server, as the service reaches it
    database_url = os.environ.get("DATABASE_URL", "").strip()
    own = {"DATABASE_URL": database_url} if database_url else {"INSTANCE_DIR": str(DEMO_DIR)}
    listener = servers.enter_context(_listen(port, "--port"))
    site_listener = servers.enter_context(_listen(host_port, "--host-port"))
    environ = {
        **os.environ,
        **own,
        # The demo creates its own owner, and its gunicorn does the background work.
        "BACKGROUND": "",
        "FIRST_OWNER": "",
        "MAX_WALLETS": "",
        "WEB_CONCURRENCY": "1",  # limits are counted in memory
        "PUBLIC_URL": base_url,
        "SOLANA_RPC_URL": own_url + RPC_PATH,
        "BALANCE_REFRESH": "15 seconds",
        "ALLOW_PRIVATE_TARGETS": "1",  # the webhook is at `own_url`
    }
    settings = Settings.from_environ(environ).with_secret_key()
    connection.open_database(settings.database_url)
    schema_version.upgrade()
    # It starts while the page is created, which takes half as long.
    server = servers.enter_context(_run_gunicorn(listener, environ))
    change = Change(COMMAND_LINE, runtime().clock(), settings)
    page = make_demo_page(site_url, own_url + TOLD_PATH, change)
    say(f"1. The page {page.id} tracks {len(WALLETS)} wallets made for the demo.")
    market = Market(page.mint, page.units)
    told: SimpleQueue[str] = SimpleQueue()
    signer = Signer(settings.secret_keys, runtime().clock)
    links = {
        "owner": build_link(page.owner, signer, base_url),
        "reviewer": build_link(page.reviewer, signer, base_url),
    }
    site = create_site(base_url, base_url + page.widget_path, market, told, links)
    servers.enter_context(serve(site, site_listener))
    _wait_for_start(base_url)
    say(f"2. gunicorn serves it at {base_url}, and reads balances from a made-up ledger.")
    shown = {  # with the names of the JSON document
        "id": page.id,
        "publicKey": page.public_key,
        "secretKey": page.secret_key,
        "apiUrl": f"{base_url}/api/embed/tracking/{page.id}",
        "hostUrl": site_url,
        "widgetUrl": base_url + page.widget_path,
        "dashboardUrl": links["owner"],
        "reviewerUrl": links["reviewer"],
        **act(base_url, page, market, say),
    }
    try:
        say(f"8. The owner is notified: {told.get(timeout=TOLD_LIMIT_S)}")
    except Empty:
        raise click.ClickException(f"No notification came within {TOLD_LIMIT_S} s.") from None
    print_answer(shown, _describe(shown, own | {"PUBLIC_URL": base_url}))
    while server.poll() is None:
        with suppress(Empty):
            say(f"The owner is notified: {told.get(timeout=0.5)}")


def create_site(
    base_url: str,
    widget_url: str,
    market: Market,
    told: SimpleQueue[str],
    links: Mapping[str, str],
) -> Flask:
    """Return the second server: a sample site with the widget, the RPC server and the webhook.

    `told` gets a sentence for each of the webhook's messages; `links` are the site's short links.
    """
    sentences: list[str] = []
    site = Flask(__name__, template_folder=str(PROJECT_DIR / "templates"), static_folder=None)

    @site.get("/")
    def show_widget() -> str:
        return render_template("demo/host.html", base_url=base_url, widget_url=widget_url)

    for name, url in links.items():
        site.add_url_rule(f"/{name}", name, partial(redirect, url))

    @site.get(TOLD_PATH)
    def list_told() -> str:
        return render_template("demo/told.html", sentences=sentences)

    @site.post(RPC_PATH)
    def answer_rpc() -> dict[str, Any]:
        return market.answer(request.get_json())

    @site.post(TOLD_PATH)
    def tell_owner() -> str:
        sent = request.get_json()["data"]
        if "nickname" in sent:  # a nickname is printable
            sentence = f"{sent['nickname']} submitted {sent['walletAddress']}: {sent['status']}"
            sentences.append(sentence)
            told.put(sentence)
        return "Thanks"

    return site


@contextmanager
def serve(app: Flask, listener: socket.socket) -> Iterator[None]:
    """Serve connections to a socket until the block ends."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # no log line per request
    with make_server("127.0.0.1", 0, app, threaded=True, fd=listener.fileno()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


def _listen(port: int, option: str) -> socket.socket:
    """Raises click.ClickException if something listens there already."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise click.ClickException(
            f"Port {port} cannot be used ({error.strerror}); choose another with {option}."
        ) from None


@contextmanager
def _run_gunicorn(
    listener: socket.socket, environ: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Start gunicorn on a socket with these variables, and stop it when the block ends."""
    config = str(PROJECT_DIR / "gunicorn.conf.py")
    options = ["--config", config, "--bind", f"fd://{listener.fileno()}", "--log-level", "warning"]
    server = subprocess.Popen(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "gunicorn", "embed.factory:create_demo_app()", *options],
        cwd=Path(embed.__path__[0]).parent,  # where it is found
        env=environ,
        # Ctrl-C goes to a whole process group. A gunicorn worker that gets it in addition to its
        # arbiter's signal may deadlock until it's killed after the graceful timeout of 30 s.
        process_group=0,
        pass_fds=[listener.fileno()],
    )
    listener.close()  # so connections fail when gunicorn ends
    try:
        yield server
    finally:
        server.terminate()
        server.wait()


def _wait_for_start(base_url: str) -> None:
    """Wait for a server's first answer. Raises click.ClickException if none comes."""
    try:
        open_url(f"{base_url}/healthz", timeout=START_LIMIT_S).close()
    except OSError:
        raise click.ClickException("gunicorn could not start; the reason is above.") from None


def _describe(shown: dict[str, str], own: Mapping[str, str]) -> str:
    variables = [f"{name}={shlex.quote(value)}" for name, value in own.items()]
    # The path that this program was called by, since the virtualenv may not be active.
    is_script = Path(sys.argv[0]).name in ("flask", "tracking-embed")
    program = shlex.join([sys.argv[0]] if is_script else [sys.executable, "-m", "embed"])
    return f"""
Public key:       {shown["publicKey"]}
Secret key:       {shown["secretKey"]}  (the next run makes new keys)
Read the page:    curl -H 'Authorization: Bearer {shown["secretKey"]}' {shown["apiUrl"]}
See pending ones: {" ".join(variables)} {program} submissions list {shown["id"]} --status pending

Ctrl-C ends the demo. The owner's notifications about you appear below.

Open the site and add a wallet:    {shown["hostUrl"]}
Approve it as the owner:           {shown["hostUrl"]}/owner      (then sign in as {OWNER})
Review it, in another browser:     {shown["hostUrl"]}/reviewer   (then sign in as {REVIEWER})"""
