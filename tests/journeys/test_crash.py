"""A crash under load: acknowledged submissions stay stored, and none is stored twice."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import requests
from remote import TIMEOUT_S, RemotePage, make_environ
from servers import run_gunicorn
from world import Visitor

CRASHES = 5
CLIENTS = 4
ACKNOWLEDGED_BEFORE_EACH = 15
CUT_OFF = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)


class Load:
    """Visitors who submit without a pause, with the answers they got."""

    def __init__(self, page: RemotePage) -> None:
        self._page = page
        self.acknowledged: dict[str, str] = {}  # submission by wallet
        self.unanswered: list[dict[str, str]] = []
        self.refused: list[str] = []

    def run_until_crash(self, crash) -> None:
        """Submit from several clients; `crash` the server meanwhile."""
        is_enough = threading.Semaphore(0)
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._submit_until_cut_off, is_enough) for _ in range(CLIENTS)]
            has_begun = all(
                is_enough.acquire(timeout=TIMEOUT_S) for _ in range(ACKNOWLEDGED_BEFORE_EACH)
            )
            crash()
            for client in clients:
                client.result()
        assert has_begun

    def _submit_until_cut_off(self, is_enough: threading.Semaphore) -> None:
        while True:
            try:
                draft = self._page.draft(Visitor())
            except CUT_OFF:
                return
            try:
                self._post(draft)
            except CUT_OFF:
                self.unanswered.append(draft)
                return
            is_enough.release()

    def _post(self, draft: dict[str, str]) -> None:
        answer = self._page.post(draft)
        if answer.status_code == 201:
            self.acknowledged[draft["walletAddress"]] = answer.json["submissionId"]
        else:
            self.refused.append(answer.text)

    def try_again(self) -> None:
        """Repeat requests without an answer: each was either lost, or its nonce is used."""
        for draft in self.unanswered:
            self._post(draft)


def test_submissions_survive_kill_9_under_load_exactly_once(database_url, redis_url):
    environ = make_environ(database_url, RATELIMIT_STORAGE_URI=redis_url)
    with run_gunicorn(environ, "--workers", "2") as server:
        page = RemotePage(server.url, environ, "--auto-approve")
        load = Load(page)
        for _ in range(CRASHES):
            load.run_until_crash(server.kill)
            server.start()
        assert load.refused == []
        assert len(load.acknowledged) >= CRASHES * ACKNOWLEDGED_BEFORE_EACH

        load.try_again()

        assert set(load.refused) <= {'{"error": "invalid_nonce"}'}
        kept = {one["walletAddress"]: one["id"] for one in page.list_submissions()}
        assert kept.items() >= load.acknowledged.items()
        sent = load.acknowledged.keys() | {one["walletAddress"] for one in load.unanswered}
        assert Counter(one["walletAddress"] for one in page.list_submissions()) == Counter(sent)
        assert Counter(page.list_addresses()) == Counter(sent)
