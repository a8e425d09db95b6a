"""The demo's two visitors, one of whom holds too little, and its owner's decision."""

import base64
import json
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import base58
import click
from nacl.signing import SigningKey

from embed.demo.ledger import Ledger
from embed.demo.tracking_page import DemoPage
from embed.submissions import decisions
from embed.terminal import current_change

_open = build_opener(ProxyHandler({})).open  # without the environment's proxy


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
