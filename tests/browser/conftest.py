"""A browser and a running service for all tests, a fresh context and page for each."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any

import pytest
from embedded_page import (
    ARGUMENTS,
    HOW_TO_GET_ONE,
    NAMES,
    BrowserWallet,
    EmbeddedPage,
    HostSite,
    find_browser,
    make_owner,
)
from firefox import HOW_TO_GET_ONE as HOW_TO_GET_FIREFOX
from firefox import Firefox, is_installed
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from support.absence import skip_or_fail
from support.certificates import make_certificate
from support.remote import make_environ
from support.servers import run_gunicorn

from embed import pages
from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings

# Error statuses that a test provokes are not failures of the page.
EXPECTED_WORDS = re.compile("Failed to load resource")

PATIENCE_MS = 60_000  # far more than anything takes, on a busy machine too
expect.set_options(timeout=PATIENCE_MS)


# For this folder only: while Playwright runs, no other event loop can run in this thread.
@pytest.fixture(scope="package")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def launch(playwright):
    """Start a browser: ``launch("--flag")``; skip if there is none, except in CI."""

    def start(*arguments: str, names: Sequence[str] = NAMES) -> Browser:
        path = find_browser(playwright, names)
        if path is None:
            skip_or_fail(HOW_TO_GET_ONE)
        return playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])

    return start


@pytest.fixture(scope="package")
def browser(launch):
    browser = launch()
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def start_firefox(tmp_path_factory):
    """Start a Firefox with preferences; skip if there is none, except in CI."""
    if not is_installed():
        skip_or_fail(HOW_TO_GET_FIREFOX)

    def start(preferences: dict[str, object]) -> closing[Firefox]:
        return closing(Firefox(tmp_path_factory.mktemp("firefox") / "profile", preferences))

    return start


@pytest.fixture(scope="package")
def firefox(start_firefox):
    """A Firefox as it comes, with its default protection against tracking."""
    with start_firefox({}) as firefox:
        yield firefox


@pytest.fixture(scope="package")
def host():
    site = HostSite()
    yield site
    site.close()


@pytest.fixture(scope="package")
def make_service_database(request) -> Callable[[], str]:
    """Make a database for a service, and return its address."""
    is_grown = request.config.getoption("--deployment") == "grown"
    return request.getfixturevalue("make_postgres" if is_grown else "make_sqlite")


@pytest.fixture(scope="package")
def service_environ(make_service_database) -> dict[str, str]:
    """The settings of the service; a file may have others."""
    return make_environ(make_service_database())


@pytest.fixture(scope="package")
def environ_with_chain(make_service_database) -> dict[str, str]:
    """Settings with an endpoint, at which nothing answers: the tests write its history."""
    return make_environ(make_service_database(), SOLANA_RPC_URL="http://127.0.0.1:9/")


@pytest.fixture(scope="package")
def find_service(serve) -> Iterator[Callable[[dict[str, str]], str]]:
    """Start a service, unless one with these settings runs, and return its address."""
    urls: dict[frozenset[tuple[str, str]], str] = {}
    with ExitStack() as running:

        def find(environ: dict[str, str]) -> str:
            key = frozenset(environ.items())
            if key not in urls:
                urls[key] = running.enter_context(serve(environ)).url
            return urls[key]

        yield find


@pytest.fixture(scope="module")
def service(service_environ, find_service):
    """The app in this process, for the owner, and the service's address, for visitors."""
    url = find_service(service_environ)
    yield create_app(Settings.from_environ(service_environ)), url
    connection.db.close()


@pytest.fixture(scope="package")
def certificate(tmp_path_factory):
    """A file with a certificate and its key, which no browser trusts."""
    return make_certificate(tmp_path_factory.mktemp("tls") / "both.pem")


@pytest.fixture(scope="package")
def secure_port(service_environ, certificate) -> Iterator[int]:
    """The port at which the service answers by HTTPS, at whatever host."""
    # The service's own worker takes no TLS. What a browser opens in advance occupies a thread.
    worker = ("--worker-class=gthread", "--threads=50")
    tls = (*worker, f"--certfile={certificate}", f"--keyfile={certificate}")
    with run_gunicorn(service_environ, *tls) as server:
        yield server.port


@pytest.fixture
def embedded_page(service, host) -> EmbeddedPage:
    return EmbeddedPage(*service, host)


@pytest.fixture
def open_site(embedded_page, page) -> Callable[..., None]:
    """Open a page of the host site, with the script for sites unless another tag is given."""

    def start(body: str, tag: str = '<script src="{}/embed.js"></script>', **headers: str) -> None:
        head = '<!doctype html><meta charset="utf-8"><title>A site</title>'
        icon = '<link rel="icon" href="data:,">'
        html = f"{head}{icon}{body}{tag.format(embedded_page.service_url)}"
        page.goto(embedded_page.host.show(html, **headers))

    return start


@pytest.fixture
def dashboard(embedded_page) -> EmbeddedPage:
    """A page with its owner, and the address of its views."""
    embedded_page.owner = make_owner(embedded_page)
    pages.update_page(embedded_page.page_id, {"owner": embedded_page.owner}, embedded_page.change())
    embedded_page.base = f"{embedded_page.service_url}/dashboard/pages/{embedded_page.page_id}"
    return embedded_page


@pytest.fixture
def browser_wallet() -> BrowserWallet:
    return BrowserWallet()


@pytest.fixture
def context(browser, watch):
    context = browser.new_context(locale="en-US", viewport={"width": 800, "height": 900})
    watch(context)
    yield context
    context.close()


@pytest.fixture
def page(context) -> Page:
    return context.new_page()


@pytest.fixture
def open_browser(browser, watch) -> Iterator[Callable[..., Page]]:
    """Open a browser that knows nothing yet: ``open_browser(locale="de-AT")`` returns its page."""
    with ExitStack() as opened:

        def start(**options: Any) -> Page:
            context = watch(browser.new_context(**{"locale": "en-US"} | options))
            opened.callback(context.close)
            return context.new_page()

        yield start


@pytest.fixture
def plain_page(open_browser) -> Page:
    """A page of a browser without scripts."""
    return open_browser(java_script_enabled=False)


@pytest.fixture
def watch():
    """Watch a context: in no test may a script fail or a content security policy be violated."""
    seen: list[str] = []

    def note(message) -> None:
        if message.type in ("error", "warning") and not EXPECTED_WORDS.search(message.text):
            seen.append(message.text)

    def start(context: BrowserContext) -> BrowserContext:
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", note)
        context.on("weberror", lambda error: seen.append(str(error.error)))
        context.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
        return context

    start.seen = seen
    yield start
    assert seen == []
