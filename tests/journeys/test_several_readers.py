"""Readers of one page whose requests reach different processes."""

import pytest
from remote import RemotePage, make_environ
from servers import run_gunicorn
from world import Visitor

pytestmark = pytest.mark.slow


def test_processes_agree_on_what_is_unchanged_and_send_everything_when_one_knows_less(database_url):
    environ = make_environ(database_url)
    with run_gunicorn(environ) as first, run_gunicorn(environ) as second:
        page = RemotePage(first.url, environ)
        page.command("pages", "update", page.page_id, "--title", "Holders " * 20)

        def read(server, etag=None):
            page.server_url = server.url
            return page.read(headers={"If-None-Match": etag, "A-IM": "wallets"})

        for _ in range(10):
            page.command("wallets", "add", page.page_id, Visitor().address)
        whole = read(first)
        etag = whole.headers["ETag"]
        assert read(second, etag).status_code == 304
        page.command("wallets", "add", page.page_id, Visitor().address)
        second.stop()
        second.start()

        delta, everything = read(first, etag), read(second, etag)

        assert (delta.status_code, everything.status_code) == (226, 200)
        (copied, added) = delta.json["wallets"]
        assert [*whole.json["wallets"][slice(*copied)], added] == everything.json["wallets"]
        assert delta.headers["ETag"] == everything.headers["ETag"]
        assert read(second, delta.headers["ETag"]).status_code == 304
