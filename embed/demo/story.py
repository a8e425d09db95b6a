"""What the demo does and says: two visitors submit their wallets, the owner hears of it."""

import base64
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import base58
import click
from nacl.signing import SigningKey

from embed.demo.mailbox import Mailbox
from embed.demo.market import Market
from embed.demo.tracking_page import MIN_BALANCE, DemoPage
from embed.outbound.http import Answer, Client
from embed.outbound.reach import Reach
from embed.submissions import decisions
from embed.terminal import runtime

ANSWER_LIMIT_S = 10
MAIL_LIMIT_S = 30

Say = Callable[[str], None]


class Refused(click.ClickException):
    """The service answered a visitor with an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"The service refused the visitor: HTTP Error {answer.status}.")
        self.answer = answer


def act(
    base_url: str, page: DemoPage, market: Market, mailbox: Mailbox, say: Say
) -> dict[str, str]:
    """Act as two visitors and the owner; return what the first one submitted.

    Raises click.ClickException if the service answers otherwise than it should.
    """
    submitted = _submit(DemoVisitor(base_url, page), say)
    _be_turned_away(DemoVisitor(base_url, page), market, say)
    say(f"11. The owner's mailbox has a message: {_await_mail(mailbox)}")
    return submitted


def _submit(visitor: "DemoVisitor", say: Say) -> dict[str, str]:
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
    aliases = {wallet["address"]: wallet["publicAlias"] for wallet in visitor.list_wallets()}
    say(f"9. The public payload lists the wallet as {aliases[visitor.wallet_address]!r}.")
    return {"submissionId": submitted["submissionId"], "walletAddress": visitor.wallet_address}


def _be_turned_away(visitor: "DemoVisitor", market: Market, say: Say) -> None:
    market.penniless.add(visitor.wallet_address)
    visitor.open_widget()
    try:
        visitor.submit(visitor.request_nonce(), "Penniless visitor")
    except Refused as refusal:
        if refusal.answer.status != 422:
            raise
        say(f"10. A wallet that holds less than {MIN_BALANCE} is turned away:")
        say(f"    {refusal.answer.body.decode().strip()}")
    else:
        raise click.ClickException("A wallet that holds nothing passed the minimum balance.")


def _await_mail(mailbox: Mailbox) -> str:
    """Return the subject of the newest message. Raises click.ClickException if none comes."""
    deadline = time.monotonic() + MAIL_LIMIT_S
    while time.monotonic() < deadline:
        if mailbox.mails:
            return str(mailbox.mails[0]["Subject"])
        time.sleep(0.1)  # the mail comes to another thread; it is looked for until the deadline
    raise click.ClickException(f"No notification arrived in {MAIL_LIMIT_S} s.")


class DemoVisitor:
    """Opens the iframe route, and calls the API under the cookie's path as the widget does."""

    def __init__(self, base_url: str, page: DemoPage) -> None:
        self._base_url = base_url
        self._page = page
        self._signing_key = SigningKey.generate()
        self.wallet_address = base58.b58encode(bytes(self._signing_key.verify_key)).decode()
        self._client = Client(Reach.ANY)
        self._headers = {"Authorization": f"Bearer {page.public_key}", "Origin": base_url}

    def open_widget(self) -> None:
        """Open the iframe route and store its session cookie."""
        answer = self._ask("GET", self._page.widget_path)
        self._headers["Cookie"] = answer.list_values("Set-Cookie")[0].partition(";")[0]

    def request_nonce(self) -> Any:
        """Return ``nonceId`` and ``message``."""
        body = {"trackingPageId": self._page.id, "walletAddress": self.wallet_address}
        return self._request("/embed/api/siws/nonce", body)

    def submit(self, nonce: dict[str, str], nickname: str) -> Any:
        """Sign and post; return ``submissionId`` and ``status``."""
        signature = self._signing_key.sign(nonce["message"].encode()).signature
        body = {
            "trackingPageId": self._page.id,
            "walletAddress": self.wallet_address,
            "nickname": nickname,
            "nonceId": nonce["nonceId"],
            "signature": base64.b64encode(signature).decode(),
        }
        return self._request("/embed/api/submissions", body)

    def list_submissions(self) -> Any:
        path = f"/embed/api/session/submissions?trackingPageId={self._page.id}"
        return self._request(path)["submissions"]

    def list_wallets(self) -> Any:
        return self._request(f"/embed/api/tracking/{self._page.id}")["wallets"]

    def _request(self, path: str, body: dict[str, str] | None = None) -> Any:
        """Post a body, or get what is there; return the JSON. Raises Refused."""
        if body is None:
            return json.loads(self._ask("GET", path).body)
        return json.loads(self._ask("POST", path, json.dumps(body).encode()).body)

    def _ask(self, method: str, path: str, body: bytes = b"") -> Answer:
        answer = self._client.request(
            method,
            self._base_url + path,
            body,
            headers={**self._headers, "Content-Type": "application/json"},
            timeout_s=ANSWER_LIMIT_S,
            max_bytes=1024 * 1024,
        )
        if answer.status >= 400:
            raise Refused(answer)
        return answer
