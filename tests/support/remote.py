"""As world.py, but from outside: set up by commands, with HTTP to a real server."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import requests
from flask import Response
from support.http_client import TIMEOUT_S, HttpAnswer
from support.world import SECRET_KEY, SITE, USDC, PageClient

from embed.db import connection
from embed.errors import ApiError, InvalidInput, NotFound
from embed.factory import create_app
from embed.settings import Settings

TOKEN = ("--token-name", "USD Coin", "--token-symbol", "USDC", "--token-mint", USDC)


def make_environ(database_url: str, **variables: str) -> dict[str, str]:
    """Return settings with rate limits that no test reaches unless it sets others."""
    return {
        "DATABASE_URL": database_url,
        "SECRET_KEY": SECRET_KEY,
        "LIMIT_PER_IP": "1000000/minute",
        "LIMIT_PER_KEY": "1000000/minute",
        "LIMIT_SESSION_NONCES": "1000000/minute",
        "LIMIT_SESSION_SUBMISSIONS": "1000000/minute",
        "LIMIT_IP_SUBMISSIONS": "1000000/minute",
    } | variables


def run_here(*arguments: str, environ: dict[str, str]) -> Any:
    """Run a command in this process, which saves half a second of starting time."""
    app = create_app(Settings.from_environ(environ))
    try:
        return app.test_cli_runner().invoke(args=arguments, catch_exceptions=False)
    finally:
        connection.db.close()


class RemotePage(PageClient):
    """A page created by command and used over HTTP, at the paths that the widget uses."""

    root = "/embed/api"

    def __init__(
        self, server_url: str, environ: dict[str, str], *page_options: str, run=run_here
    ) -> None:
        self.server_url = server_url
        self._environ = environ
        self._run = run
        self.page_id = self.command("pages", "create", *TOKEN, *page_options)["id"]
        self.public_key = self.make_key("--tier", "public", "--origin", SITE)["key"]

    def send(self, method: str, path: str, *, headers, **arguments) -> Response:
        answer = requests.request(
            method, self.server_url + path, headers=headers, timeout=TIMEOUT_S, **arguments
        )
        return HttpAnswer(answer.content, answer.status_code, answer.headers.items())

    def preflight(self) -> Response:
        """Send the preflight of a read."""
        return self.call("OPTIONS", f"{self.root}/tracking/{self.page_id}")

    def list_addresses(self) -> list[str]:
        """Return the wallets that the public payload shows."""
        return [wallet["address"] for wallet in self.read().json["wallets"]]

    # The owner, by command

    def command(self, *arguments: str) -> Any:
        """Run a command and return the JSON document that it prints."""
        return json.loads(self._run(*arguments, "--json", environ=self._environ).stdout)

    def make_key(self, *options: str) -> Any:
        return self.command("keys", "create", self.page_id, *options)

    def list_submissions(self, *options: str) -> Any:
        return self.command("submissions", "list", self.page_id, "--limit", "100000", *options)


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Make all calls at the same moment, a thread each, and return what each returned."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait(TIMEOUT_S)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def race(*calls: Callable[[], Any]) -> list[Any]:
    """Make all calls of use cases at once; return their results, and the names of refusals."""
    return at_once([partial(name_outcome, call) for call in calls])


def name_outcome(call: Callable[[], Any]) -> Any:
    """Call in a thread, and return the result or the name of a refusal that is expected."""
    try:
        return call()
    except ApiError as refusal:
        return refusal.code
    except (InvalidInput, NotFound) as mistake:
        return type(mistake).__name__
    finally:
        connection.db.close()


def summarise(answers: Sequence[Response]) -> dict[tuple[int, str | None], int]:
    """Count answers by status and, for refusals, code."""
    return Counter((answer.status_code, answer.json.get("error")) for answer in answers)
