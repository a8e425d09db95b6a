"""flask demo: create and serve a sample page, act as two visitors, and keep serving."""

import base64
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import base58
import click
from flask import Flask, render_template, request
from nacl.signing import SigningKey
from werkzeug.serving import make_server

import embed
from embed.db import connection, schema_version
from embed.demo.ledger import Ledger
from embed.demo.tracking_page import OWNER, REVIEWER, DemoPage, make_demo_page
from embed.domain.signing import Signer
from embed.events.editing import COMMAND_LINE, Change
from embed.people.passwords import build_link
from embed.settings import PROJECT_DIR, Settings
from embed.submissions import decisions
from embed.terminal import Command, current_change, print_answer, runtime

RPC_PATH = "/rpc"  # on the sample site
_OF_THE_SERVICE = (
    *("DATABASE_URL", "SECRET_KEY", "RATELIMIT_STORAGE_URI", "METRICS_BIND", "SMTP_URL"),
    *("BACKGROUND", "FIRST_OWNER", "MAX_WALLETS", "TRUSTED_PROXIES", "GUNICORN_CMD_ARGS"),
)
_open = build_opener(ProxyHandler({})).open  # without the environment's proxy
_port = partial(click.option, type=click.IntRange(1, 65534), metavar="PORT")


@click.command("demo", cls=Command)
@_port("--port", default=8000, show_default=True, help="Port of the service.")
@_port("--host-port", help="Port of the sample site.  [default: the port after --port]")
def command(port: int, host_port: int | None) -> None:
    """Run a demo: a sample page on a sample site.

    It acts as two visitors, prints one-time links to the dashboard, and runs until you press
    Ctrl-C. Its data stays in the folder demo in INSTANCE_DIR, whatever DATABASE_URL is. The next
    run shows the same page.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with (
        suppress(KeyboardInterrupt),
        _listen(port, "--port") as listener,
        _listen(host_port or port + 1, "--host-port") as site_listener,
    ):
        _run(listener, site_listener)


def _run(listener: socket.socket, site_listener: socket.socket) -> None:
    port, site_port = (each.getsockname()[1] for each in (listener, site_listener))
    base_url = f"http://127.0.0.1:{port}"
    site_url = f"http://localhost:{site_port}"  # a different site to browsers
    environ = {
        **os.environ,
        # What belongs to the real service: the demo shares neither data, nor keys, nor ports, and
        # sends no mail.
        **dict.fromkeys(_OF_THE_SERVICE, ""),
        "INSTANCE_DIR": str(runtime().settings.instance_dir / "demo"),
        "WEB_CONCURRENCY": "1",
        "PUBLIC_URL": base_url,
        "SOLANA_RPC_URL": f"http://127.0.0.1:{site_port}{RPC_PATH}",
    }
    settings = Settings.from_environ(environ).with_secret_key()
    connection.open_database(settings.database_url)
    schema_version.upgrade()
    # It starts while the page is created, which takes half as long.
    gunicorn = _start_gunicorn(listener, environ)
    try:
        page = make_demo_page(site_url, Change(COMMAND_LINE, runtime().clock(), settings))
        signer = Signer(settings.secret_keys, runtime().clock)
        shown = {  # with the names of the JSON document
            "id": page.id,
            "publicKey": page.public_key,
            "secretKey": page.secret_key,
            "apiUrl": f"{base_url}/api/embed/tracking/{page.id}",
            "hostUrl": site_url,
            "widgetUrl": f"{base_url}/embed/tracking/{page.id}?key={page.public_key}",
            "dashboardUrl": build_link(page.owner, signer, base_url),
            "reviewerUrl": build_link(page.reviewer, signer, base_url),
        }
        ledger = Ledger(page.mint, page.amounts)
        _serve(create_site(base_url, shown, ledger), site_listener)
        shown |= act(base_url, page, ledger)
        print_answer(shown, _describe(shown))
        gunicorn.wait()
    finally:
        gunicorn.terminate()
        gunicorn.wait()


def create_site(base_url: str, shown: Mapping[str, str], ledger: Ledger) -> Flask:
    """Return the sample site, which has the widget, the dashboard's links and the RPC server."""
    site = Flask(__name__, template_folder=str(PROJECT_DIR / "templates"), static_folder=None)

    @site.get("/")
    def show_widget() -> str:
        return render_template("demo/host.html", base_url=base_url, **shown)

    @site.post(RPC_PATH)
    def answer_rpc() -> dict[str, Any]:
        return ledger.answer(request.get_json())

    return site


def _listen(port: int, option: str) -> socket.socket:
    """Raises click.ClickException if something listens there already."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise click.ClickException(
            f"Port {port} cannot be used ({error.strerror}); choose another with {option}."
        ) from None


def _serve(app: Flask, listener: socket.socket) -> None:
    """Serve connections to a socket until the process ends."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # no log line per request
    server = make_server("127.0.0.1", 0, app, threaded=True, fd=listener.fileno())
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _start_gunicorn(listener: socket.socket, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    config = str(PROJECT_DIR / "gunicorn.conf.py")
    options = ["--config", config, "--bind", f"fd://{listener.fileno()}", "--log-level", "warning"]
    gunicorn = subprocess.Popen(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "gunicorn", "embed.factory:create_demo_app()", *options],
        cwd=Path(embed.__path__[0]).parent,  # where it is found
        env=environ,
        # Ctrl-C goes to a whole process group. A gunicorn worker that gets it in addition to its
        # arbiter's signal may deadlock until it's killed after the graceful timeout of 30 s.
        process_group=0,
        pass_fds=[listener.fileno()],
    )
    listener.close()  # so connections fail when gunicorn ends
    return gunicorn


def _describe(shown: Mapping[str, Any]) -> str:
    return f"""
The page {shown["id"]} has made-up wallets and balances. A visitor submitted the
wallet {shown["walletAddress"]}, and the owner approved it.
Another visitor's wallet holds too little, and was refused: {json.dumps(shown["refused"])}

Secret key:     {shown["secretKey"]}  (the next run makes new keys)
Read the page:  curl -H 'Authorization: Bearer {shown["secretKey"]}' {shown["apiUrl"]}

Ctrl-C ends the demo. To sign in as its owner, {OWNER}, or in another browser as its
reviewer, {REVIEWER}, choose a password by these links, which are on the site too:
   {shown["dashboardUrl"]}
   {shown["reviewerUrl"]}

Open the site and add a wallet:  {shown["hostUrl"]}"""


def act(base_url: str, page: DemoPage, ledger: Ledger) -> dict[str, Any]:
    """Act as two visitors, and approve the first as the owner; return what they got.

    Raises click.ClickException if the service refuses the first.
    """
    visitor, poor = Visitor(base_url, page), Visitor(base_url, page)
    ledger.penniless.add(poor.address)
    submitted = visitor.submit("Fair Wind")
    if "error" in submitted:
        raise click.ClickException(f"The service refused the visitor: {submitted['error']}.")
    submission_id = submitted["submissionId"]
    approve = partial(decisions.approve, change=current_change())
    decisions.decide_one(submission_id, approve)
    refused = poor.submit("Empty Purse")
    return {"submissionId": submission_id, "walletAddress": visitor.address, "refused": refused}


class Visitor:
    """Opens the iframe route and calls the API at the cookie's path, as the widget does."""

    def __init__(self, base_url: str, page: DemoPage) -> None:
        self._base_url, self._page_id = base_url, page.id
        self._key = SigningKey.generate()
        self.address = base58.b58encode(bytes(self._key.verify_key)).decode()
        self._headers = {
            "Authorization": f"Bearer {page.public_key}",
            "Content-Type": "application/json",
            "Origin": base_url,
        }
        with _ask(f"{base_url}/embed/tracking/{page.id}?key={page.public_key}") as answer:
            self._headers["Cookie"] = answer.headers["Set-Cookie"].partition(";")[0]

    def submit(self, nickname: str) -> Any:
        """Sign and post; return the answer, also if the wallet holds too little."""
        nonce = self._post("/embed/api/siws/nonce")
        signature = self._key.sign(nonce["message"].encode()).signature
        return self._post(
            "/embed/api/submissions",
            nickname=nickname,
            nonceId=nonce["nonceId"],
            signature=base64.b64encode(signature).decode(),
        )

    def _post(self, path: str, **fields: str) -> Any:
        fields |= {"trackingPageId": self._page_id, "walletAddress": self.address}
        with _ask(self._base_url + path, json.dumps(fields).encode(), self._headers) as answer:
            return json.load(answer)


def _ask(url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Any:
    try:
        return _open(Request(url, body, headers or {}), timeout=30)  # noqa: S310 -- our own server
    except HTTPError as refusal:
        if refusal.code == 422:
            return refusal
        raise click.ClickException(f"The service refused the visitor: {refusal}.") from None
