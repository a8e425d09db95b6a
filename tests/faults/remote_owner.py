"""An owner who reviews submissions in the dashboard of a running service."""

from urllib.parse import urlsplit

from flask import Response
from support.http_client import HttpClient
from support.owner_browser import PASSWORD, find_token, submit
from support.remote import RemotePage


class RemoteOwner:
    def __init__(self, page: RemotePage, email: str = "owner@example.com") -> None:
        """Create the owner, who is signed in by a one-time link, and hand the page over to them."""
        self._page_id = page.page_id
        self._cookies: dict[str, str] = {}
        client = HttpClient(page.server_url, cookies=self._cookies)
        link = page.command("owners", "create", email)["passwordUrl"]
        page.command("pages", "update", page.page_id, "--owner", email)
        answer = submit(client, urlsplit(link).path, password=PASSWORD)
        assert answer.status_code == 303, answer.text
        self._token = find_token(client.get("/dashboard/account").text)

    def decide(self, server_url: str, decision: str, submission_id: str) -> Response:
        """Approve or reject: 303 if that was done, 409 if it had been decided before."""
        return HttpClient(server_url, cookies=self._cookies).post(
            f"/dashboard/pages/{self._page_id}/queue/decide",
            data={"csrf_token": self._token, "decision": decision, "ids": submission_id},
        )
