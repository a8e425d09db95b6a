"""A visitor with a new key pair who sends the same HTTP requests as the widget."""

import base64
import json
import urllib.request
from typing import Any

import base58
from nacl.signing import SigningKey


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
