"""What the demo does and says: two visitors submit their wallets, the owner hears of it."""

import base64
import json
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.error import HTTPError

import base58
import click
from nacl.signing import SigningKey

from embed.demo.mailbox import Mailbox
from embed.demo.market import Market
from embed.demo.tracking_page import MIN_BALANCE, DemoPage
from embed.submissions import decisions
from embed.terminal import runtime

MAIL_LIMIT_S = 30

Say = Callable[[str], None]


def act(
    base_url: str, page: DemoPage, market: Market, mailbox: Mailbox, say: Say
) -> dict[str, Any]:
    """Act as two visitors and the owner; return what happened.

    Raises click.ClickException if the service answers otherwise than it should.
    """
    try:
        summary = _submit(base_url, page, say)
        _be_turned_away(base_url, page, market, say)
    except HTTPError as error:
        raise click.ClickException(f"The service refused the visitor: {error}.") from None
    subject = _await_mail(mailbox)
    say(f"11. The owner's mailbox has a message: {subject}")
    return summary


def _submit(base_url: str, page: DemoPage, say: Say) -> dict[str, Any]:
    visitor = DemoVisitor(base_url, page.id, page.public_key)
    visitor.open_widget()
    say("3. A visitor opens the widget and gets a session cookie.")
    nonce = visitor.request_nonce()
    say(f"4. The wallet {visitor.wallet_address} gets a nonce and this message to sign:")
    say("\n".join(f"   | {line}" for line in nonce["message"].splitlines()))
    submitted = visitor.submit(nonce, "Demo visitor")
    say("5. Signed and submitted. The ledger says that it holds enough:")
    say(f"   {submitted['submissionId']} is {submitted['status']}.")
    say(f"6. The visitor's own list says: {visitor.list_submissions()[0]['status']}.")
    now, max_wallets = runtime().clock(), runtime().settings.max_wallets
    approve = partial(decisions.approve, now=now, max_wallets=max_wallets)
    decisions.decide_one(submitted["submissionId"], approve)
    say("7. The owner approves it.")
    say(f"8. The visitor's own list says: {visitor.list_submissions()[0]['status']}.")
    shown = next(
        wallet
        for wallet in visitor.read_page()["wallets"]
        if wallet["address"] == visitor.wallet_address
    )
    say(f"9. The public payload lists the wallet as {shown['publicAlias']!r}.")
    return {"submissionId": submitted["submissionId"], "walletAddress": visitor.wallet_address}


def _be_turned_away(base_url: str, page: DemoPage, market: Market, say: Say) -> None:
    visitor = DemoVisitor(base_url, page.id, page.public_key)
    market.penniless.add(visitor.wallet_address)
    visitor.open_widget()
    try:
        visitor.submit(visitor.request_nonce(), "Penniless visitor")
    except HTTPError as refusal:
        with refusal:
            if refusal.code != 422:
                raise
            say(f"10. A wallet that holds less than {MIN_BALANCE} is turned away:")
            say(f"    {refusal.read().decode().strip()}")
    else:
        raise click.ClickException("The holding gate let a wallet in that holds nothing.")


def _await_mail(mailbox: Mailbox) -> str:
    """Return the subject of the first message. Raises click.ClickException if none comes."""
    deadline = time.monotonic() + MAIL_LIMIT_S
    while time.monotonic() < deadline:
        for mail in mailbox.list_mails():
            return mail.subject
        time.sleep(0.1)  # the mail comes to another thread; it is looked for until the deadline
    raise click.ClickException(f"No notification arrived in {MAIL_LIMIT_S} s.")


class DemoVisitor:
    """Opens the iframe route, and calls the API under the cookie's path as the widget does."""

    def __init__(self, base_url: str, page_id: str, public_key: str) -> None:
        self._base_url = base_url
        self._page_id = page_id
        self._public_key = public_key
        self._signing_key = SigningKey.generate()
        self.wallet_address = base58.b58encode(bytes(self._signing_key.verify_key)).decode()
        self._cookie = ""

    def open_widget(self) -> None:
        """Open the iframe route and store its session cookie."""
        with urllib.request.urlopen(self.widget_url, timeout=10) as answer:  # noqa: S310 -- our own
            self._cookie = answer.headers["Set-Cookie"].partition(";")[0]

    @property
    def widget_url(self) -> str:
        return f"{self._base_url}/embed/tracking/{self._page_id}?key={self._public_key}"

    def request_nonce(self) -> Any:
        """Return ``nonceId`` and ``message``."""
        body = {"trackingPageId": self._page_id, "walletAddress": self.wallet_address}
        return self._call("/embed/api/siws/nonce", body)

    def submit(self, nonce: dict[str, str], nickname: str) -> Any:
        """Sign and post; return ``submissionId`` and ``status``."""
        signature = self._signing_key.sign(nonce["message"].encode()).signature
        return self._call(
            "/embed/api/submissions",
            {
                "trackingPageId": self._page_id,
                "walletAddress": self.wallet_address,
                "nickname": nickname,
                "nonceId": nonce["nonceId"],
                "signature": base64.b64encode(signature).decode(),
            },
        )

    def list_submissions(self) -> Any:
        path = f"/embed/api/session/submissions?trackingPageId={self._page_id}"
        return self._call(path)["submissions"]

    def read_page(self) -> Any:
        return self._call(f"/embed/api/tracking/{self._page_id}")

    def _call(self, path: str, body: dict[str, str] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 -- always our own http address
            self._base_url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._public_key}",
                "Content-Type": "application/json",
                "Origin": self._base_url,
                "Cookie": self._cookie,
            },
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 -- our own
            return json.load(answer)
