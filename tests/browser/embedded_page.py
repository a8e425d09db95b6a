"""Helpers of the browser tests: a browser, a site that embeds the widget, and wallets."""

import json
import math
import os
import shutil
import ssl
from collections.abc import Sequence
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import base58
from nacl.signing import SigningKey
from playwright.sync_api import Frame, FrameLocator, Locator, Page, Playwright, expect
from support.owner_browser import PASSWORD, hash_cheaply
from support.servers import find_free_port
from support.waiting import wait_for
from support.world import World

from embed.db.connection import db
from embed.db.models import Balance, Person, Session, Submission, Wallet
from embed.domain import times
from embed.domain.identifiers import make_id
from embed.people import accounts, sessions

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\"'><svg onload=alert(3)>",
    "{{ 7*7 }}",
    "javascript:alert(4)",
    "\u2067gnorw\u2069",
    "${alert(5)}",
]
HOW_TO_GET_ONE = (
    "no browser was found: apt install chromium-headless-shell, or python -m playwright install"
    " chromium, or name one in CHROMIUM"
)
# The headless shell draws no windows, and takes two thirds of the time of the others.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--site-per-process",  # as browsers with windows do by default
    "--host-resolver-rules=MAP *.example.test 127.0.0.1, MAP *.example.org 127.0.0.1",
]
WALLET_SCRIPT = Path(__file__).with_name("wallet.js").read_text(encoding="utf-8")
# Playwright's own clock also hides what the browser knows of the document's answer.
WRONG_CLOCK = """(() => {
    const right = Date;
    globalThis.Date = class extends right {
        constructor(...parts) { parts.length ? super(...parts) : super(Date.now()); }
        static now() { return right.now() + AHEAD; }
    };
})()"""
# Observers are told in the order in which they observe, so those of the page have been told, too.
AFTER_NEXT_PAINT = """() => new Promise((done) => {
    new IntersectionObserver((_, observer) => done(observer.disconnect())).observe(document.body);
})"""

# As scripts find it in a browser that keeps no cookies of frames.
WITHOUT_COOKIES = """if (window.parent !== window) {
    Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });
}"""


def find_browser(playwright: Playwright, names: Sequence[str] = NAMES) -> str | None:
    """Return the path of a Chromium: the one named, an installed one, or Playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        return named
    installed = next(filter(None, map(shutil.which, names)), None)
    own = playwright.chromium.executable_path
    return installed or (own if Path(own).exists() else None)


class HostSite:
    """A site on `localhost` that serves the pages that a test gives it."""

    def __init__(self, host: str = "localhost", certificate: Path | None = None) -> None:
        """With a certificate, which has its key in the same file, it is served by HTTPS."""
        pages = self._pages = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                html, headers = pages.get(self.path, (None, {}))
                self.send_response(404 if html is None else 200)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write((html or "").encode())

            def log_message(self, *_):
                pass

        port = find_free_port()
        self.origin = f"{'https' if certificate else 'http'}://{host}:{port}"
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def show(self, html: str, path: str = "", **headers: str) -> str:
        """Serve `html`, and return its address."""
        path = path or f"/{len(self._pages)}"
        self._pages[path] = (html, headers)
        return self.origin + path

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class BrowserWallet:
    """A key pair, and a script that provides it as a wallet in the browser."""

    def __init__(self) -> None:
        self.key = SigningKey.generate()
        self.address = base58.b58encode(bytes(self.key.verify_key)).decode()

    def script(self, **options: object) -> str:
        """Return an init script for the wallet; wallet.js says what its options are."""
        given = {
            "name": "Test wallet",
            "seed": bytes(self.key).hex(),
            "publicKey": bytes(self.key.verify_key).hex(),
            "address": self.address,
        } | options
        return f"({WALLET_SCRIPT})({json.dumps(given)})"


class EmbeddedPage(World):
    """A tracking page whose widget a site on another origin embeds in a frame."""

    def __init__(self, app, service_url: str, host: HostSite) -> None:
        super().__init__(app, times.now)
        self.service_url = service_url
        self.host = host
        self.key = self.make_key("public", origins=[host.origin])

    def widget_url(self, page_id: str | None = None, **arguments: str) -> str:
        given = "".join(f"&{name}={value}" for name, value in arguments.items())
        return f"{self.service_url}/embed/tracking/{page_id or self.page_id}?key={self.key}{given}"

    def host_page(
        self, *, script=True, has_room=True, style="", html="", headers=None, **arguments: str
    ) -> str:
        """Return the address of a page of the host site that contains the snippet.

        A frame that grows has room for the steps from the start, unless not `has_room`: until
        Chromium has drawn a frame in its new size, it gives a press to the site, and a test presses
        sooner than that.
        """
        room = "; min-height: 1400px" if script and has_room else ""
        src = self.widget_url(**arguments)
        extra = f'<script src="{self.service_url}/embed.js" async></script>' if script else ""
        return self.host.show(
            f"""<!doctype html><html lang="en" {html}><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>A site</title><link rel="icon" href="data:,"><style>{style}</style>
            <h1>A site</h1>
            <iframe src="{src}" title="Wallets" width="100%" height="600" style="border: 0{room}"
              referrerpolicy="strict-origin"></iframe>{extra}</html>""",
            **(headers or {}),
        )

    def open(self, page: Page, **how) -> FrameLocator:
        """Open the host's page and return its widget, once its script is ready."""
        page.goto(self.host_page(**how))
        widget = page.frame_locator("iframe")
        widget.locator("#widget[data-ready]").wait_for()
        return widget

    def settle(self, page: Page) -> None:
        """Wait until the frame has handled the answers to its requests."""
        frame = frame_of(page, self.service_url)
        for _ in range(2):  # a later request is answered later
            frame.evaluate(AFTER_NEXT_PAINT)  # when rows that have come near are asked for
            frame.evaluate("fetch('/healthz').then(() => 0)")

    def forward(self, page: Page, time: str) -> None:
        """Advance the page's clock, after pending requests are finished."""
        self.settle(page)
        page.clock.fast_forward(time)

    def track_many(self, count: int, **changes: object) -> list[str]:
        addresses = [BrowserWallet().address for _ in range(count)]
        for number, address in enumerate(addresses, 1):
            self.track(address, **{"alias": f"Wallet {number}", "balance": number} | changes)
        return addresses

    def fill(self, count: int) -> None:
        """Track many wallets with one statement for wallets and one for balances."""
        now, page = self.clock(), self.page
        wallets, balances = [], []
        for number in range(1, count + 1):
            address = BrowserWallet().address
            wallets.append(
                {
                    "id": make_id(),
                    "page": page,
                    "address": address,
                    "public_alias": f"Wallet {number}",
                    "created_at": now - timedelta(milliseconds=count - number),
                }
            )
            balances.append(
                {
                    "owner": page.owner_id,
                    "mint": page.token_mint,
                    "address": address,
                    "amount": number,
                    "observed_at": now,
                }
            )
        with db.atomic():
            for model, rows in ((Wallet, wallets), (Balance, balances)):
                for start in range(0, count, 500):
                    model.insert_many(rows[start : start + 500]).execute()

    def find_submission(self, address: str):
        return Submission.get(Submission.page == self.page_id, Submission.wallet_address == address)


def frame_of(page: Page, service_url: str):
    """Return the widget's frame, for operations that a locator does not have."""
    return next(frame for frame in page.frames if frame.url.startswith(service_url))


def expect_fitted(page: Page, number: int = 0) -> FrameLocator:
    """Wait until a frame is as high as its content, and return the widget."""
    shown = page.locator("iframe").nth(number)
    widget = shown.content_frame
    widget.locator("#widget[data-ready]").wait_for()

    def is_fitted() -> bool:  # the content, too, changes with the width and the theme
        content = math.ceil(widget.locator("html").bounding_box()["height"])
        return shown.bounding_box()["height"] == content > 154  # what browsers give a frame

    wait_for(is_fitted)
    return widget


def find_overflow(frame: Frame) -> list[str]:
    """Return the elements that are wider than the frame."""
    return frame.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= wide) return [];
          return [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > wide)
            .map((one) => one.outerHTML.slice(0, 100));
        }"""
    )


def is_drawn(picture: Locator) -> bool:
    """Tell whether a picture, which may be loaded late, can be shown."""
    picture.scroll_into_view_if_needed()
    return picture.evaluate("async (one) => { await one.decode(); return one.naturalWidth > 0 }")


# What an owner does


def make_owner(embedded_page: EmbeddedPage) -> Person:
    """Create an owner: a new one for each test, since sign-ins are limited per account."""
    owner = accounts.create_person(f"{make_id()}@example.com", embedded_page.clock())
    owner.password_hash = hash_cheaply()
    owner.save()
    return owner


def sign_in(page: Page, embedded_page: EmbeddedPage, owner: Person | None = None) -> None:
    """Give the browser the session of an owner who has signed in; None: the page's own owner."""
    client = embedded_page.app.test_client()
    with client.session_transaction(path="/dashboard/") as session:
        _, session["_user_id"] = sessions.begin(
            owner or embedded_page.owner, embedded_page.change()
        )
    cookie = client.get_cookie("embed_dashboard", path="/dashboard")
    page.context.add_cookies(
        [
            {
                "name": cookie.key,
                "value": cookie.value,
                "domain": "127.0.0.1",
                "path": cookie.path,
                "httpOnly": cookie.http_only,
                "sameSite": cookie.same_site,
            }
        ]
    )


def let_confirmation_end(embedded_page: EmbeddedPage) -> None:
    """Let half an hour pass since the page's owner showed who they are."""
    long_ago = embedded_page.clock() - timedelta(minutes=31)
    Session.update(confirmed_at=long_ago).where(Session.person == embedded_page.owner).execute()


def sign_in_by_form(page: Page, embedded_page: EmbeddedPage, owner: Person | None = None) -> None:
    """Sign in as owners do, which is limited per address; None: the page's own owner."""
    page.goto(f"{embedded_page.service_url}/dashboard/")
    page.get_by_label("Email").fill((owner or embedded_page.owner).email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


# What a visitor does; `widget` is the frame, or the signing window.


def ask_text(widget, nickname="Nick", wallet="Test wallet") -> None:
    """Go through the steps up to the message to sign."""
    if isinstance(widget, FrameLocator):  # the signing window has begun by itself
        widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name=wallet).click()
    widget.get_by_label("Name to show on the list").fill(nickname)
    widget.get_by_role("button", name="Continue", exact=True).click()
    read_text(widget)


def read_text(widget) -> str:
    """Wait for the message to sign, and return it."""
    shown = widget.locator("[data-show=message]")
    shown.wait_for()
    return shown.inner_text()


def submit(widget, nickname="Nick", wallet="Test wallet") -> None:
    ask_text(widget, nickname, wallet)
    widget.get_by_role("button", name="Sign with").click()
