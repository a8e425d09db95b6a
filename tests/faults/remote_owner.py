"""An owner who reviews submissions in the dashboard of a running service."""

from urllib.parse import urlsplit

import requests
from support.http_client import TIMEOUT_S
from support.owner_browser import PASSWORD, find_token
from support.remote import RemotePage


class RemoteOwner:
    def __init__(self, page: RemotePage, email: str = "owner@example.com") -> None:
        """Create the owner, who is signed in by a one-time link, and hand the page over to them."""
        self._page_id = page.page_id
        self._session = requests.Session()
        link = page.command("owners", "create", email)["passwordUrl"]
        page.command("pages", "update", page.page_id, "--owner", email)
        url = page.server_url + urlsplit(link).path
        answer = self._post(url, csrf_token=self._find_token(url), password=PASSWORD)
        assert answer.status_code == 303, answer.text
        self._token = self._find_token(f"{page.server_url}/dashboard/account")

    def decide(self, server_url: str, decision: str, submission_id: str) -> requests.Response:
        """Approve or reject: 303 if that was done, 409 if it had been decided before."""
        url = f"{server_url}/dashboard/pages/{self._page_id}/queue/decide"
        return self._post(url, csrf_token=self._token, decision=decision, ids=submission_id)

    def _find_token(self, url: str) -> str:
        return find_token(self._session.get(url, timeout=TIMEOUT_S).text)

    def _post(self, url: str, **fields: str) -> requests.Response:
        return self._session.post(url, data=fields, timeout=TIMEOUT_S, allow_redirects=False)
