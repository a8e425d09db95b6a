"""An owner who reviews submissions in the dashboard of a running service."""

from urllib.parse import urlsplit

import requests
from support.owner_browser import PASSWORD, find_token
from support.remote import TIMEOUT_S, RemotePage


class RemoteOwner:
    def __init__(self, page: RemotePage, email: str = "owner@example.com") -> None:
        """Create the owner, hand the page over to them, and sign in."""
        self._page_id = page.page_id
        self._session = requests.Session()
        link = page.command("owners", "create", email)["passwordUrl"]
        page.command("pages", "update", page.page_id, "--owner", email)
        self._submit(page.server_url, urlsplit(link).path, password=PASSWORD)
        self._submit(page.server_url, "/dashboard/sign-in", email=email, password=PASSWORD)
        self._token = find_token(self._get(page.server_url, "/dashboard/account").text)

    def _get(self, server_url: str, path: str) -> requests.Response:
        answer = self._session.get(server_url + path, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        return answer

    def _submit(self, server_url: str, path: str, **fields: str) -> None:
        fields["csrf_token"] = find_token(self._get(server_url, path).text)
        answer = self._session.post(
            server_url + path, data=fields, timeout=TIMEOUT_S, allow_redirects=False
        )
        assert answer.status_code in (302, 303), answer.text

    def decide(self, server_url: str, decision: str, submission_id: str) -> requests.Response:
        """Approve or reject: 303 if that was done, 409 if it had been decided before."""
        return self._session.post(
            f"{server_url}/dashboard/pages/{self._page_id}/queue/decide",
            data={"csrf_token": self._token, "decision": decision, "ids": submission_id},
            timeout=TIMEOUT_S,
            allow_redirects=False,
        )
