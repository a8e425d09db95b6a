"""A run of all that makes the service log something, with secrets that are known."""

import base64
import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, urlsplit

import requests
from support import failing_app
from support.http_client import HttpClient
from support.owner_browser import PASSWORD, find_token, submit
from support.remote import RemotePage
from support.waiting import LIMIT_S, wait_for
from support.world import Visitor

CLIENTS = ("203.0.113.77", "2001:db8:5:6::77")
SETTINGS_SECRETS = {
    "SMTP password": "smtp-password-0001",
    "RPC path": "rpcpathkey00000002",
    "RPC key": "rpc-query-key-0003",
    "Redis password": "redis-password-0010",
}


class Run:
    """Visitors, owners and strangers, all behind a proxy; keeps every secret that they used."""

    def __init__(self, page: RemotePage, log: Path, database: str) -> None:
        self.page = page
        self.url = page.server_url
        self.secrets: dict[str, str] = dict(SETTINGS_SECRETS)
        self._log = log
        self._database = database  # of SQLite

    def keep(self, name: str, secret: str) -> str:
        self.secrets[name] = secret
        return secret

    def do_everything(self) -> None:
        self.keep("public key", self.page.public_key)
        self._register_receivers()
        for number, client in enumerate(CLIENTS):
            self._visit(number, client)
        self._be_refused()
        self._use_the_dashboard()
        self._meet_the_bug()
        self._send_what_is_not_http()
        self._ask_the_chain()
        wait_for(self._is_all_delivered)

    def _register_receivers(self) -> None:
        path = self.keep("webhook's path", "webhook-path-0004")
        token = self.keep("webhook's token", "webhook-token-0005")
        hook = ("webhooks", "add", self.page.page_id, f"http://127.0.0.1:1/{path}?token={token}")
        webhook = self.page.command(*hook)
        self.keep("webhook's secret", webhook["secret"])
        token = self.keep("channel's token", "channel-token-0006")
        ntfy = ("ntfy", "--server", "http://127.0.0.1:1", "--topic", "a", "--access-token", token)
        channel = self.page.command("channels", "add", self.page.page_id, *ntfy)
        mailbox = self.page.command("channels", "add", self.page.page_id, "a@mail.example")
        for kind, each in (("webhooks", webhook), ("channels", channel), ("channels", mailbox)):
            self.page.command(kind, "test", each["id"])

    def _visit(self, number: int, client: str) -> None:
        page, visitor = self.page, Visitor()
        headers = {"X-Forwarded-For": client}
        path = f"/embed/tracking/{page.page_id}?key={page.public_key}"
        widget = page.send("GET", path, headers=headers)
        assert widget.status_code == 200
        cookie = widget.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
        visitor.cookie = self.keep(f"cookie {number}", cookie)
        nonce = page.ask_nonce(visitor, headers=headers).json
        self.keep(f"nonce {number}", nonce["nonceId"])
        draft = page.draft(visitor, nonce=nonce)
        self.keep(f"signature {number}", draft["signature"])
        wrong = self.keep(f"wrong signature {number}", Visitor().sign("another text"))
        refused = page.post(draft | {"signature": wrong}, cookie=visitor.cookie, headers=headers)
        assert refused.status_code == 401
        sent = page.post(draft, cookie=visitor.cookie, headers=headers)
        assert sent.status_code == 201, sent.text
        assert page.post(draft, cookie=visitor.cookie, headers=headers).status_code == 400
        for action in ("show", "withdraw"):
            asked = page.ask_record_nonce(visitor, action, headers=headers).json
            body = page.sign_for_records(visitor, action, nonce=asked)
            self.keep(f"{action} nonce {number}", body["nonceId"])
            self.keep(f"{action} signature {number}", body["signature"])
            assert page.post_for_records(action, body, headers=headers).status_code == 200
        page.list_own(visitor, headers=headers)
        page.call("OPTIONS", f"{page.root}/siws/nonce", headers=headers)

    def _be_refused(self) -> None:
        page, client = self.page, {"X-Forwarded-For": CLIENTS[0]}
        unknown = self.keep("unknown key", "svc_sec_" + "Z9y8X7w6" * 4)
        revoked = page.make_key("--tier", "secret")
        self.keep("revoked key", revoked["key"])
        page.command("keys", "revoke", revoked["id"])
        for key in (unknown, revoked["key"]):
            assert page.read(key=key, headers=client).status_code == 401
        for path in (f"/{unknown}", f"/embed/tracking/{unknown}?key={unknown}", f"/api/{unknown}/"):
            assert page.send("GET", path, headers=client).status_code in (401, 404)
        made_up = self.keep("made-up cookie", "eyJhIjoxfQ.aaaaaa." + "b" * 43)
        page.list_own(Visitor(), headers=client | {"Cookie": f"embed_session={made_up}"})
        referer = {"Referer": f"https://site.example/?key={unknown}", "User-Agent": unknown}
        page.read(headers=client | referer | {"Origin": "https://evil.example"})

    def _use_the_dashboard(self) -> None:
        made = self.page.command("owners", "create", "owner@mail.example")
        path = urlsplit(made["passwordUrl"]).path
        self.keep("one-time link", path.rpartition("/")[2])
        self.keep("password", PASSWORD)
        wrong = self.keep("wrong password", "wrong-password-0007")
        cookies: dict[str, str] = {}
        browser = HttpClient(self.url, cookies=cookies)
        for mistyped in (f"{path}/", f"{path}x"):
            assert browser.get(mistyped).status_code == 404
        self.keep("form token", find_token(browser.get(path).text))
        assert submit(browser, path, password=PASSWORD).status_code == 303
        self.keep("owner's cookie", cookies["embed_dashboard"])
        browser.get("/dashboard/account")
        cookies.clear()
        assert browser.get(path).status_code == 410  # used
        typed = {"email": "owner@mail.example", "password": wrong}
        assert submit(browser, "/dashboard/sign-in", **typed).status_code == 422

    def _meet_the_bug(self) -> None:
        odd = self.keep("odd", "odd-cookie-0008")
        headers = {
            "X-Forwarded-For": f"{CLIENTS[1]}, {CLIENTS[0]}",
            "Authorization": f"Bearer {self.secrets['public key']}",
            "Cookie": f"embed_session={self.secrets['cookie 0']}; odd={odd}",
        }
        data = {
            "signature": self.secrets["signature 0"],
            "nonceId": self.secrets["nonce 0"],
            "link": f"http://x.example/dashboard/password/{self.secrets['one-time link']}",
            "hex": base64.b64decode(self.secrets["signature 1"]).hex(),
        }
        query = f"?key={self.secrets['public key']}&odd={self.keep('query', 'odd-query-0009')}"
        answer = requests.post(
            self.url + failing_app.PATH + query, headers=headers, data=data, timeout=LIMIT_S
        )
        assert answer.status_code == 500
        self._wait_for(answer.headers["X-Request-Id"])

    def _send_what_is_not_http(self) -> None:
        key, cookie = self.secrets["public key"], self.secrets["cookie 0"]
        where = (urlsplit(self.url).hostname, urlsplit(self.url).port)
        ends = f"Host: x\r\nX-Forwarded-For: {CLIENTS[0]}\r\nCookie: embed_session={cookie}\r\n\r\n"
        for start in (
            f"GET /embed/tracking/x?key={key} HTTP/9.9\r\n",
            f"GET /embed/tracking/x?key={key}\r\n",
            f"G\x00T /?key={key} HTTP/1.1\r\n",
            f"GET / HTTP/1.1\r\nAuthorization Bearer {key}\r\n",
            f"GET / HTTP/1.1\r\nBad({key}): x\r\n",
            f"GET / HTTP/1.1\r\nTransfer-Encoding: {key}\r\n",
            f"GET /?key={key}{'x' * 9000} HTTP/1.1\r\n",
        ):
            with socket.create_connection(where, timeout=LIMIT_S) as connection:
                connection.sendall((start + ends).encode("latin-1"))
                head = connection.makefile("rb").read().decode("latin-1")
            assert int(head.split()[1]) >= 400
            assert "X-Request-Id: " in head

    def _ask_the_chain(self) -> None:
        self.page.command("pages", "update", self.page.page_id, "--min-balance", "1")
        assert self.page.submit(Visitor()).status_code == 503
        self._wait_for("Solana RPC")

    def _is_all_delivered(self) -> bool:
        attempted = "SELECT count(DISTINCT receiver_id) FROM delivery WHERE attempts > 0"
        with closing(sqlite3.connect(self._database)) as database:
            return database.execute(attempted).fetchone() == (3,)

    def _wait_for(self, text: str) -> None:
        wait_for(lambda: text in self._log.read_text(errors="replace"), lambda: text)


def find_leaks(logged: str, secrets: dict[str, str]) -> list[str]:
    """Return the names of secrets that a log holds in any form."""
    return [
        f"{name}: {form}"
        for name, secret in (secrets | {client: client for client in CLIENTS}).items()
        for form in _list_forms(secret)
        if form in logged
    ]


def _list_forms(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="")
    yield json.dumps(secret)[1:-1]
    yield secret.encode().hex()
    yield base64.b64encode(secret.encode()).decode().rstrip("=")[:-1]
