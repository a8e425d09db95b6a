"""A browser that is not signed in at first."""

from flask import Response
from support.owner_browser import PASSWORD, find_token

from embed.db.models import Session
from embed.web.dashboard.blueprint import LOCAL_COOKIE

ACCOUNT, HOME = "/dashboard/account", "/dashboard/"
SIGN_IN = "/dashboard/sign-in"


class Guest:
    """A browser of its own, at an address and with a user agent."""

    def __init__(self, world, *, user_agent: str = "", address: str = "127.0.0.1") -> None:
        self.client = world.app.test_client()
        self._sent = {
            "headers": {"User-Agent": user_agent},
            "environ_base": {"REMOTE_ADDR": address},
        }

    def get(self, path: str) -> Response:
        return self.client.get(path, **self._sent)

    def post(self, path: str, token: str | None = None, **fields) -> Response:
        token = token or find_token(self.get(ACCOUNT).text)
        return self.client.post(path, data={"csrf_token": token} | fields, **self._sent)

    def submit(self, path: str, **fields) -> Response:
        """Open a page, and send its form."""
        return self.post(path, find_token(self.get(path).text), **fields)

    def sign_in(
        self, email: str = "owner@example.com", password: str = PASSWORD, path: str = SIGN_IN
    ) -> Response:
        return self.submit(path, email=email, password=password)

    @property
    def is_signed_in(self) -> bool:
        return self.get(HOME).status_code == 200

    @property
    def credential(self) -> str:
        with self.client.session_transaction(SIGN_IN) as session:
            return session["_user_id"]

    @property
    def session(self) -> Session:
        return Session.get_by_id(self.credential.split(".")[0])

    @property
    def cookie(self) -> str:
        return self.client.get_cookie(LOCAL_COOKIE, path="/dashboard").value

    @cookie.setter
    def cookie(self, value: str) -> None:
        self.client.set_cookie(LOCAL_COOKIE, value, path="/dashboard")
