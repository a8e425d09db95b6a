"""The demo's second server: a sample site with the widget, the RPC, and where the owner is told."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from flask import Flask, render_template, request
from werkzeug.serving import make_server

from embed.demo.market import Market
from embed.settings import PROJECT_DIR

RPC_PATH, TOLD_PATH = "/rpc", "/told"


def create_site(base_url: str, widget_url: str, market: Market, told: SimpleQueue[str]) -> Flask:
    """`told` gets a sentence for each message that the page's webhook sends."""
    site = Flask(__name__, template_folder=str(PROJECT_DIR / "templates"), static_folder=None)

    @site.get("/")
    def show_widget() -> str:
        return render_template("demo/host.html", base_url=base_url, widget_url=widget_url)

    @site.post(RPC_PATH)
    def answer_rpc() -> dict[str, Any]:
        return market.answer(request.get_json())

    @site.post(TOLD_PATH)
    def tell_owner() -> str:
        sent = request.get_json()["data"]
        if "nickname" in sent:  # a nickname is printable
            told.put(f"{sent['nickname']} submitted {sent['walletAddress']}: {sent['status']}")
        return "Thanks"

    return site


@contextmanager
def serve(app: Flask, listener: socket.socket) -> Iterator[None]:
    """Answer whoever connects to a socket, until the block ends."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # no line for each request
    with make_server("127.0.0.1", 0, app, threaded=True, fd=listener.fileno()) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
