"""Requests with faults: for every check of the API, a way to make a request fail it.

Each endpoint's steps are in the order of the checks (design: life of a request).
"""

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from support.world import Visitor, code_of

from embed.balances.known import BalanceSource
from embed.errors import ApiError
from embed.runtime import EXTENSION
from embed.submissions.deny_list import block_on_page

SETTINGS = {
    "LIMIT_PER_IP": "40/hour",
    "LIMIT_PER_KEY": "20/hour",
    "LIMIT_SESSION_NONCES": "5/hour",
    "LIMIT_SESSION_SUBMISSIONS": "1/hour",
    "LIMIT_IP_SUBMISSIONS": "4/hour",
    "LIMIT_REFRESHES": "3/hour",
}
ELSEWHERE = {"environ_base": {"REMOTE_ADDR": "198.51.100.7"}}  # the client that prepares a request


class Attempt:
    """A valid request, into which faults can be put, and its world."""

    def __init__(self, world, method: str, path: str) -> None:
        self.world, self.method, self.path = world, method, path
        self.visitor = Visitor()
        world.open_widget(self.visitor)
        self.key = world.public_key
        self.headers: dict[str, str | None] = {}
        self.query: dict[str, str] = {}
        self.body: dict | None = None
        self.raw_body: str | None = None

    def send(self, **more):
        body = {"json": self.body} if self.raw_body is None else {"data": self.raw_body}
        arguments = {
            "key": self.key,
            "cookie": self.visitor.cookie,
            "headers": self.headers,
            "query_string": self.query,
        }
        return self.world.call(self.method, self.path, **arguments | body | more)

    # What makes it valid

    def prepare_nonce(self) -> None:
        page_id, address = self.world.page_id, self.visitor.address
        self.body = {"trackingPageId": page_id, "walletAddress": address}

    def prepare_draft(self) -> None:
        self.body = self.draft_elsewhere(self.visitor)

    def prepare_record_nonce(self) -> None:
        self.prepare_nonce()
        self.body["action"] = "show"

    def prepare_records(self, action: str) -> None:
        """Prepare a request for the visitor's records, or their withdrawal."""
        nonce = self.world.ask_record_nonce(self.visitor, action, **ELSEWHERE).json
        self.body = self.world.sign_for_records(self.visitor, action, nonce=nonce)

    def prepare_refresh(self) -> None:
        """Prepare a request to read the visitor's wallet, which the page tracks."""
        self.key = self.world.secret_key
        self.world.track(self.visitor.address)
        self.prepare_nonce()

    def prepare_wallet(self) -> None:
        """Prepare to read the visitor's wallet, which the page tracks."""
        self.world.track(self.visitor.address)
        self.path += self.visitor.address

    def prepare_list(self) -> None:
        self.query["trackingPageId"] = self.world.page_id

    # What faults need

    def set(self, **fields: Any) -> None:
        self.body |= fields

    def ask_elsewhere(self, visitor: Visitor) -> dict:
        return self.world.ask_nonce(visitor, **ELSEWHERE).json

    def draft_elsewhere(self, visitor: Visitor) -> dict:
        return self.world.draft(visitor, nonce=self.ask_elsewhere(visitor))

    def ask_for_records_elsewhere(self, visitor: Visitor) -> dict:
        return self.world.ask_record_nonce(visitor, "show", **ELSEWHERE).json

    def show_others_records(self, **arguments) -> None:
        other = Visitor()
        nonce = self.ask_for_records_elsewhere(other)
        body = self.world.sign_for_records(other, "show", nonce=nonce)
        assert code_of(self.world.post_for_records("show", body, **arguments)) is None


# Faults, one for each check


def use_up(limit: str, ask: Callable[[], Any]) -> None:
    for _ in range(50):
        if code_of(ask()) == limit:
            return
    pytest.fail(f"nothing is ever refused with {limit}")


def revoke_key(attempt):
    take_public_key(attempt)
    attempt.world.revoke(attempt.world.public_key)


def omit_origin(attempt):
    take_public_key(attempt)
    attempt.headers["Origin"] = None


def use_up_key(attempt):
    take_public_key(attempt)
    use_up("rate_limit_key", lambda: attempt.world.read(**ELSEWHERE))


def take_public_key(attempt):
    attempt.key = attempt.world.public_key


def use_up_nonces(attempt):
    use_up("rate_limit_session", lambda: attempt.world.ask_nonce(attempt.visitor, **ELSEWHERE))


def name_another_page_in_path(attempt):
    page_id = attempt.world.page_id
    attempt.path = attempt.path.replace(page_id, attempt.world.make_page())


def lengthen_nickname(attempt):
    attempt.set(nickname=attempt.body.get("nickname", "") + "a" * 33)


def malform_nickname(attempt):
    attempt.set(nickname=attempt.body.get("nickname", "") + "<")


def take_nonce_of_another_wallet(attempt):
    attempt.set(nonceId=attempt.ask_elsewhere(Visitor())["nonceId"])


def take_record_nonce_of_another_wallet(attempt):
    attempt.set(nonceId=attempt.ask_for_records_elsewhere(Visitor())["nonceId"])


def use_up_submissions(attempt):
    draft = attempt.draft_elsewhere(Visitor())
    attempt.world.post(draft, cookie=attempt.visitor.cookie, **ELSEWHERE)


def use_up_submissions_of_the_address(attempt):
    for _ in range(4):
        attempt.world.post(attempt.draft_elsewhere(Visitor()))


def use_up_requests_for_records_of_the_address(attempt):
    for _ in range(4):
        attempt.show_others_records()


def block_network(attempt):
    block_on_page(attempt.world.page_id, "network", "127.0.0.1", attempt.world.change())


class UnreadableBalances(BalanceSource):
    """A balance source that has no answer and no fresh observation either."""

    def get_balance(self, page, address):
        raise ApiError("balance_unavailable", retry_after=timedelta(seconds=5))


def lose_chain(attempt):
    extensions = attempt.world.app.extensions
    lost = UnreadableBalances(uses_chain=True)
    extensions[EXTENSION] = replace(extensions[EXTENSION], balances=lost)
    attempt.world.configure(min_balance=1)


def submit_wallet_already(attempt):
    """Make the wallet rejected and pending again, which is possible without a cooldown."""
    attempt.world.configure(cooldown_s=0)
    for is_first in (True, False):
        draft = attempt.draft_elsewhere(attempt.visitor)
        answer = attempt.world.post(draft, **ELSEWHERE)
        assert code_of(answer) is None
        if is_first:
            attempt.world.reject(answer.json["submissionId"])


def use_up_refreshes(attempt):
    world, address = attempt.world, attempt.visitor.address
    use_up("rate_limit_key", lambda: world.refresh(address, key=world.secret_key, **ELSEWHERE))


FAULTS: dict[str, Callable[[Attempt], Any]] = {
    "use_up_address": lambda attempt: use_up(
        "rate_limit_ip", lambda: attempt.world.call("GET", "/api/embed/openapi.json")
    ),
    "malform_header": lambda attempt: attempt.headers.update(Authorization="Bearer  svc_pub_"),
    "malform_key": lambda attempt: setattr(attempt, "key", "svc_pub_short"),
    "take_unknown_key": lambda attempt: setattr(attempt, "key", "svc_pub_" + "0" * 32),
    "revoke_key": revoke_key,
    "omit_origin": omit_origin,
    "use_up_key": use_up_key,
    "take_public_key": take_public_key,
    "use_up_nonces": use_up_nonces,
    "break_json": lambda attempt: setattr(attempt, "raw_body", "{"),
    "omit_field": lambda attempt: attempt.body.pop("walletAddress"),
    "omit_page": lambda attempt: attempt.query.pop("trackingPageId"),
    "name_another_page": lambda attempt: attempt.set(trackingPageId=attempt.world.make_page()),
    "name_another_page_in_query": lambda attempt: attempt.query.update(
        trackingPageId=attempt.world.make_page()
    ),
    "name_another_page_in_path": name_another_page_in_path,
    "delete_page": lambda attempt: attempt.world.delete_page(),
    "close_page": lambda attempt: attempt.world.configure(is_public=False),
    "malform_address": lambda attempt: attempt.set(walletAddress="0"),
    "malform_address_in_path": lambda attempt: setattr(
        attempt, "path", f"{attempt.path.rpartition('/')[0]}/0"
    ),
    "name_untracked_wallet": lambda attempt: attempt.set(walletAddress=Visitor().address),
    "name_untracked_wallet_in_path": lambda attempt: setattr(
        attempt, "path", attempt.path.replace(attempt.visitor.address, Visitor().address)
    ),
    "lengthen_nickname": lengthen_nickname,
    "malform_nickname": malform_nickname,
    "take_unknown_action": lambda attempt: attempt.set(action="erase"),
    "tamper_with_nonce": lambda attempt: attempt.set(nonceId="x" + attempt.body["nonceId"]),
    "take_nonce_of_another_wallet": take_nonce_of_another_wallet,
    "take_record_nonce_of_another_wallet": take_record_nonce_of_another_wallet,
    "malform_signature": lambda attempt: attempt.set(
        signature=base64.b64encode(bytes(64)).decode()
    ),
    "use_up_submissions": use_up_submissions,
    "use_up_submissions_of_the_address": use_up_submissions_of_the_address,
    "use_up_requests_for_records": lambda attempt: attempt.show_others_records(
        cookie=attempt.visitor.cookie, **ELSEWHERE
    ),
    "use_up_requests_for_records_of_the_address": use_up_requests_for_records_of_the_address,
    "use_up_refreshes": use_up_refreshes,
    "block_network": block_network,
    "lose_chain": lose_chain,
    "lose_endpoint": lambda attempt: attempt.world.use_endpoint("http://127.0.0.1:9/"),
    "have_no_endpoint": lambda attempt: attempt.world.use_endpoint(),
    "raise_gate": lambda attempt: attempt.world.configure(min_balance=1),
    "start_cooldown": lambda attempt: attempt.world.configure(cooldown_s=60),
    "fill_queue": lambda attempt: attempt.world.configure(queue_capacity=0),
    "submit_wallet_already": submit_wallet_already,
}

# Steps: the fault of each and its code, in the order of the checks
DOOR = {
    "use_up_address": "rate_limit_ip",
    "malform_header": "missing_key",
    "malform_key": "invalid_key",
    "take_unknown_key": "invalid_key",
    "revoke_key": "revoked_key",
    "omit_origin": "missing_origin",
    "use_up_key": "rate_limit_key",
}
BODY = {
    "break_json": "invalid_json",
    "omit_field": "missing_fields",
    "name_another_page": "invalid_key",
}
READ = DOOR | {
    "name_another_page_in_path": "invalid_key",
    "delete_page": "not_found",
    "close_page": "embed_disabled",
}
READ_WALLET = READ | {
    "malform_address_in_path": "invalid_wallet_address",
    "name_untracked_wallet_in_path": "wallet_not_found",
}
ASK = {
    **DOOR,
    "use_up_nonces": "rate_limit_session",
    **BODY,
    "malform_address": "invalid_wallet_address",
}
NAME = {
    "lengthen_nickname": "invalid_nickname_length",
    "malform_nickname": "invalid_nickname_chars",
}
SUBMIT = {
    **DOOR,
    **BODY,
    "delete_page": "page_not_found",
    "close_page": "embed_disabled",
    "malform_address": "invalid_wallet_address",
    **NAME,
    "tamper_with_nonce": "invalid_nonce",
    "take_nonce_of_another_wallet": "nonce_binding_mismatch",
    "malform_signature": "invalid_signature",
    "use_up_submissions": "rate_limit_session",
    "use_up_submissions_of_the_address": "rate_limit_ip",
    "block_network": "not_accepted",
    "lose_chain": "balance_unavailable",
    "raise_gate": "ca_gate_failed",
    "start_cooldown": "cooldown_active",
    "fill_queue": "queue_full",
    "submit_wallet_already": "duplicate",
}
LIST = DOOR | {
    "omit_page": "missing_tracking_page_id",
    "name_another_page_in_query": "invalid_key",
}
RECORDS = {
    **DOOR,
    **BODY,
    "delete_page": "page_not_found",
    "malform_address": "invalid_wallet_address",
    "tamper_with_nonce": "invalid_nonce",
    "take_record_nonce_of_another_wallet": "nonce_binding_mismatch",
    "malform_signature": "invalid_signature",
    "use_up_requests_for_records": "rate_limit_session",
    "use_up_requests_for_records_of_the_address": "rate_limit_ip",
}
REFRESH = {
    **DOOR,
    "take_public_key": "secret_key_required",
    **BODY,
    "use_up_refreshes": "rate_limit_key",
    "delete_page": "page_not_found",
    "malform_address": "invalid_wallet_address",
    "name_untracked_wallet": "wallet_not_found",
    "have_no_endpoint": "chain_disabled",
    "lose_endpoint": "balance_unavailable",
}

# By endpoint: method, path, what makes an attempt a valid request, and the steps.
ENDPOINTS: dict[str, tuple[str, str, Callable[[Attempt], None], dict[str, str]]] = {
    "readTrackingPage": ("GET", "tracking/{}", lambda attempt: None, READ),
    "readListedWallet": ("GET", "tracking/{}/wallets/", Attempt.prepare_wallet, READ_WALLET),
    "createNonce": ("POST", "siws/nonce", Attempt.prepare_nonce, ASK | NAME),
    "createSubmission": ("POST", "submissions", Attempt.prepare_draft, SUBMIT),
    "listSessionSubmissions": ("GET", "session/submissions", Attempt.prepare_list, LIST),
    "createRecordNonce": (
        "POST",
        "wallet-records/nonce",
        Attempt.prepare_record_nonce,
        ASK | {"take_unknown_action": "invalid_action"},
    ),
    "showWalletRecords": (
        "POST",
        "wallet-records",
        lambda attempt: attempt.prepare_records("show"),
        RECORDS,
    ),
    "withdrawWallet": (
        "POST",
        "wallet-records/withdraw",
        lambda attempt: attempt.prepare_records("withdraw"),
        RECORDS,
    ),
    "refreshBalance": ("POST", "refresh", Attempt.prepare_refresh, REFRESH),
}


def begin(world, endpoint: str) -> Attempt:
    """Return a valid request."""
    method, path, prepare, _ = ENDPOINTS[endpoint]
    attempt = Attempt(world, method, f"/api/embed/{path}".format(world.page_id))
    prepare(attempt)
    return attempt
