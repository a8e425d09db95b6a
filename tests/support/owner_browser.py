"""Owners who use the dashboard in this process, through Flask's test client or one like it."""

import html
import re
from functools import cache

from nacl.pwhash import argon2id

from embed import pages
from embed.people import accounts

PASSWORD = "a long enough password"


class OwnerBrowser:
    """A signed-in owner; forms carry the CSRF token of the page they are on."""

    def __init__(self, world, email="owner@example.com", *, client=None) -> None:
        self.world = world
        self.email = email
        self.owner = accounts.create_person(email, world.clock())
        self.owner.password_hash = hash_cheaply()
        self.owner.save()
        self.client = client or world.app.test_client()
        self._token = None
        answer = self.sign_in_again()
        assert answer.status_code == 303, answer.text

    def find_new_token(self) -> None:
        """Read the token of forms again, after a change that begins a new session."""
        self._token = None

    @property
    def token(self) -> str:
        if self._token is None:
            self._token = find_token(self.client.get("/dashboard/account").text)
        return self._token

    def sign_in_again(self, *, target=None, **fields):
        """Submit the sign-in form again; `target` is its ``next`` argument."""
        path = {"path": "/dashboard/sign-in", "query_string": {"next": target} if target else None}
        token = find_token(self.client.get(**path).text)
        given = {"csrf_token": token, "email": self.email, "password": PASSWORD} | fields
        return self.client.post(**path, data=given)

    def confirm(self) -> None:
        """Answer "Confirm it's you"."""
        answer = self.post("/dashboard/confirm", present_password=PASSWORD)
        assert answer.status_code == 303, answer.text

    def take(self, page_id: str) -> None:
        """Become the owner of a page."""
        pages.update_page(page_id, {"owner": self.owner}, self.world.change())

    def make_page(self) -> str:
        page_id = self.world.make_page()
        self.take(page_id)
        return page_id

    def get(self, path: str, **arguments):
        return self.client.get(path, **arguments)

    def post(self, path: str, **fields):
        return self.client.post(path, data={"csrf_token": self.token} | fields)

    def see(self, path: str) -> str:
        """Return the text of a page, without tags."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return read_text(answer)


@cache
def hash_cheaply() -> str:
    """Hash PASSWORD at the least cost, since every test owner signs in with it."""
    least = {"opslimit": argon2id.OPSLIMIT_MIN, "memlimit": argon2id.MEMLIMIT_MIN}
    return argon2id.str(PASSWORD.encode(), **least).decode()


def find_token(page: str) -> str:
    return re.search(r'name="csrf_token"[^>]* value="([^"]+)"', page)[1]


def submit(client, path: str, **fields: str):
    """Open a page in any client, and send its form."""
    return client.post(path, data={"csrf_token": find_token(client.get(path).text)} | fields)


def read_text(answer) -> str:
    body = re.sub(r"<head>.*?</head>", "", answer.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())
