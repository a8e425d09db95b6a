"""The demo's two visitors, one of whom holds too little, and its owner's decision."""

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import base58
import click
from nacl.signing import SigningKey

from embed.demo.market import Market
from embed.demo.tracking_page import MIN_BALANCE, DemoPage
from embed.submissions import decisions
from embed.terminal import current_change

ANSWER_LIMIT_S = 30
open_url = build_opener(ProxyHandler({})).open  # without the environment's proxy


def act(
    base_url: str, page: DemoPage, market: Market, say: Callable[[str], None]
) -> dict[str, str]:
    """Act as two visitors and the owner; return what the first one submitted.

    Raises click.ClickException if the service gives a wrong answer.
    """
    visitor = Visitor(base_url, page)
    say("3. A visitor opens the widget and gets a session cookie.")
    nonce = visitor.request_nonce()
    say(f"4. The wallet {visitor.address} gets a nonce and this message to sign:")
    say("\n".join(f"   | {line}" for line in nonce["message"].splitlines()))
    submitted = visitor.submit(nonce, "Fair Wind")
    say("5. Signed and submitted. According to the ledger, it holds enough:")
    say(f"   {submitted['submissionId']} is {submitted['status']}.")
    approve = partial(decisions.approve, change=current_change())
    decisions.decide_one(submitted["submissionId"], approve)
    say(f"6. The owner approves it. The visitor's own list says: {visitor.find_status()}.")
    poor = Visitor(base_url, page)
    market.penniless.add(poor.address)
    try:
        poor.submit(poor.request_nonce(), "Empty Purse")
    except Refused as refusal:
        if refusal.status != 422:
            raise
        say(f"7. Another visitor's wallet holds less than {MIN_BALANCE}, and is refused:")
        say(f"   {refusal.body.strip()}")
    else:
        raise click.ClickException("A wallet that holds nothing passed the minimum balance.")
    return {"submissionId": submitted["submissionId"], "walletAddress": visitor.address}


class Refused(click.ClickException):
    """The service answered a visitor with an error."""

    def __init__(self, answer: HTTPError) -> None:
        super().__init__(f"The service refused the visitor: {answer}.")
        self.status, self.body = answer.code, answer.read().decode()


class Visitor:
    """Opens the iframe route and calls the API at the cookie's path, as the widget does."""

    def __init__(self, base_url: str, page: DemoPage) -> None:
        self._base_url, self._page_id = base_url, page.id
        self._key = SigningKey.generate()
        self.address = base58.b58encode(bytes(self._key.verify_key)).decode()
        self._headers = {"Authorization": f"Bearer {page.public_key}", "Origin": base_url}
        with self._ask(page.widget_path) as answer:
            self._headers["Cookie"] = answer.headers["Set-Cookie"].partition(";")[0]

    def request_nonce(self) -> Any:
        """Return ``nonceId`` and ``message``."""
        return self._read("/embed/api/siws/nonce", walletAddress=self.address)

    def submit(self, nonce: dict[str, str], nickname: str) -> Any:
        """Sign and post; return ``submissionId`` and ``status``."""
        signature = self._key.sign(nonce["message"].encode()).signature
        return self._read(
            "/embed/api/submissions",
            walletAddress=self.address,
            nickname=nickname,
            nonceId=nonce["nonceId"],
            signature=base64.b64encode(signature).decode(),
        )

    def find_status(self) -> Any:
        path = f"/embed/api/session/submissions?trackingPageId={self._page_id}"
        return self._read(path)["submissions"][0]["status"]

    def _read(self, path: str, **fields: str) -> Any:
        with self._ask(path, fields) as answer:
            return json.load(answer)

    def _ask(self, path: str, fields: dict[str, str] | None = None) -> Any:
        """Post fields, or send a GET request without any. Raises Refused."""
        body = json.dumps({"trackingPageId": self._page_id} | fields).encode() if fields else None
        headers = self._headers | {"Content-Type": "application/json"}
        try:
            return open_url(Request(self._base_url + path, body, headers), timeout=ANSWER_LIMIT_S)  # noqa: S310 -- our own server
        except HTTPError as refusal:
            raise Refused(refusal) from None
