"""Requests with faults: for every check of the API, a way to make a request fail it.

Each endpoint's list is in the order of the checks (design: life of a request).
"""

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import wraps

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
ELSEWHERE = {"REMOTE_ADDR": "198.51.100.7"}  # the client that prepares a request


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

    def prepare_nonce(self) -> None:
        self.body = {
            "trackingPageId": self.world.page_id,
            "walletAddress": self.visitor.address,
        }

    def prepare_draft(self) -> None:
        nonce = self.world.ask_nonce(self.visitor, environ_base=ELSEWHERE).json
        self.body = self.world.draft(self.visitor, nonce=nonce)

    def prepare_record_nonce(self) -> None:
        self.prepare_nonce()
        self.body["action"] = "show"

    def prepare_records(self, action: str) -> None:
        """Prepare a request for the visitor's records, or their withdrawal."""
        nonce = self.world.ask_record_nonce(self.visitor, action, environ_base=ELSEWHERE).json
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


# Faults, one for each check


def use_up(limit: str, ask) -> None:
    for _ in range(50):
        if code_of(ask()) == limit:
            return
    pytest.fail(f"nothing is ever refused with {limit}")


def use_up_address(attempt):
    use_up("rate_limit_ip", lambda: attempt.world.call("GET", "/api/embed/openapi.json"))


def malform_header(attempt):
    attempt.headers["Authorization"] = "Bearer  svc_pub_"


def malform_key(attempt):
    attempt.key = "svc_pub_short"


def take_unknown_key(attempt):
    attempt.key = "svc_pub_" + "0" * 32


def revoke_key(attempt):
    attempt.world.revoke(attempt.world.public_key)


def omit_origin(attempt):
    attempt.headers["Origin"] = None


def use_up_key(attempt):
    use_up("rate_limit_key", lambda: attempt.world.read(environ_base=ELSEWHERE))


def use_up_nonces(attempt):
    use_up(
        "rate_limit_session",
        lambda: attempt.world.ask_nonce(attempt.visitor, environ_base=ELSEWHERE),
    )


def break_json(attempt):
    attempt.raw_body = "{"


def omit_field(attempt):
    del attempt.body["walletAddress"]


def omit_page(attempt):
    del attempt.query["trackingPageId"]


def name_another_page_in_body(attempt):
    attempt.body["trackingPageId"] = attempt.world.make_page()


def name_another_page_in_query(attempt):
    attempt.query["trackingPageId"] = attempt.world.make_page()


def name_another_page_in_path(attempt):
    page_id = attempt.world.page_id
    attempt.path = attempt.path.replace(page_id, attempt.world.make_page())


def delete_page(attempt):
    attempt.world.delete_page()


def close_page(attempt):
    attempt.world.configure(is_public=False)


def malform_address(attempt):
    attempt.body["walletAddress"] = "0"


def malform_address_in_path(attempt):
    attempt.path = f"{attempt.path.rpartition('/')[0]}/0"


def take_unknown_action(attempt):
    attempt.body["action"] = "erase"


def take_record_nonce_of_another_wallet(attempt):
    attempt.body["nonceId"] = ask_for_records_elsewhere(attempt, Visitor())["nonceId"]


def ask_for_records_elsewhere(attempt, visitor) -> dict:
    return attempt.world.ask_record_nonce(visitor, "show", environ_base=ELSEWHERE).json


def use_up_requests_for_records(attempt):
    show_records_elsewhere(attempt, cookie=attempt.visitor.cookie, environ_base=ELSEWHERE)


def use_up_requests_for_records_of_the_address(attempt):
    for _ in range(4):
        show_records_elsewhere(attempt)


def show_records_elsewhere(attempt, **arguments) -> None:
    other = Visitor()
    nonce = ask_for_records_elsewhere(attempt, other)
    body = attempt.world.sign_for_records(other, "show", nonce=nonce)
    assert code_of(attempt.world.post_for_records("show", body, **arguments)) is None


def lengthen_nickname(attempt):
    attempt.body["nickname"] = attempt.body.get("nickname", "") + "a" * 33


def malform_nickname(attempt):
    attempt.body["nickname"] = attempt.body.get("nickname", "") + "<"


def tamper_with_nonce(attempt):
    attempt.body["nonceId"] = "x" + attempt.body["nonceId"]


def take_nonce_of_another_wallet(attempt):
    attempt.body["nonceId"] = ask_elsewhere(attempt, Visitor())["nonceId"]


def ask_elsewhere(attempt, visitor) -> dict:
    return attempt.world.ask_nonce(visitor, environ_base=ELSEWHERE).json


def malform_signature(attempt):
    attempt.body["signature"] = base64.b64encode(bytes(64)).decode()


def use_up_submissions(attempt):
    other = Visitor()
    draft = attempt.world.draft(other, nonce=ask_elsewhere(attempt, other))
    attempt.world.post(draft, cookie=attempt.visitor.cookie, environ_base=ELSEWHERE)


def use_up_submissions_of_the_address(attempt):
    for _ in range(4):
        other = Visitor()
        draft = attempt.world.draft(other, nonce=ask_elsewhere(attempt, other))
        attempt.world.post(draft)


def block_network(attempt):
    block_on_page(attempt.world.page_id, "network", "127.0.0.1", attempt.world.change())


class UnreadableBalances(BalanceSource):
    """A balance source that has no answer and no fresh observation either."""

    def get_balance(self, page, address):
        raise ApiError("balance_unavailable", retry_after=timedelta(seconds=5))


def lose_chain(attempt):
    extensions = attempt.world.app.extensions
    extensions[EXTENSION] = replace(
        extensions[EXTENSION], balances=UnreadableBalances(uses_chain=True)
    )
    raise_gate(attempt)


def raise_gate(attempt):
    attempt.world.configure(min_balance=1)


def take_public_key(attempt):
    attempt.key = attempt.world.public_key


def with_public_key(fault):
    """Return a fault that only a public key's request can have."""

    @wraps(fault)
    def put(attempt):
        take_public_key(attempt)
        fault(attempt)

    return put


def use_up_refreshes(attempt):
    use_up(
        "rate_limit_key",
        lambda: attempt.world.refresh(
            attempt.visitor.address, key=attempt.world.secret_key, environ_base=ELSEWHERE
        ),
    )


def name_untracked_wallet(attempt):
    attempt.body["walletAddress"] = Visitor().address


def name_untracked_wallet_in_path(attempt):
    attempt.path = attempt.path.replace(attempt.visitor.address, Visitor().address)


def lose_endpoint(attempt):
    """Ask an endpoint that does not answer."""
    attempt.world.use_endpoint("http://127.0.0.1:9/")


def have_no_endpoint(attempt):
    attempt.world.use_endpoint()


def start_cooldown(attempt):
    attempt.world.configure(cooldown_s=60)


def fill_queue(attempt):
    attempt.world.configure(queue_capacity=0)


def submit_wallet_already(attempt):
    """Make the wallet rejected and pending again, which is possible without a cooldown."""
    attempt.world.configure(cooldown_s=0)
    attempt.world.reject(submit_elsewhere(attempt).json["submissionId"])
    assert code_of(submit_elsewhere(attempt)) is None


def submit_elsewhere(attempt):
    nonce = ask_elsewhere(attempt, attempt.visitor)
    draft = attempt.world.draft(attempt.visitor, nonce=nonce)
    return attempt.world.post(draft, environ_base=ELSEWHERE)


DOOR = [
    ("rate_limit_ip", use_up_address),
    ("missing_key", malform_header),
    ("invalid_key", malform_key),
    ("invalid_key", take_unknown_key),
    ("revoked_key", revoke_key),
    ("missing_origin", omit_origin),
    ("rate_limit_key", use_up_key),
]
READ = [
    *DOOR,
    ("invalid_key", name_another_page_in_path),
    ("not_found", delete_page),
    ("embed_disabled", close_page),
]
READ_WALLET = [
    *READ,
    ("invalid_wallet_address", malform_address_in_path),
    ("wallet_not_found", name_untracked_wallet_in_path),
]
NONCE = [
    *DOOR,
    ("rate_limit_session", use_up_nonces),
    ("invalid_json", break_json),
    ("missing_fields", omit_field),
    ("invalid_key", name_another_page_in_body),
    ("invalid_wallet_address", malform_address),
    ("invalid_nickname_length", lengthen_nickname),
    ("invalid_nickname_chars", malform_nickname),
]
LIST = [
    *DOOR,
    ("missing_tracking_page_id", omit_page),
    ("invalid_key", name_another_page_in_query),
]
SUBMIT = [
    *DOOR,
    ("invalid_json", break_json),
    ("missing_fields", omit_field),
    ("invalid_key", name_another_page_in_body),
    ("page_not_found", delete_page),
    ("embed_disabled", close_page),
    ("invalid_wallet_address", malform_address),
    ("invalid_nickname_length", lengthen_nickname),
    ("invalid_nickname_chars", malform_nickname),
    ("invalid_nonce", tamper_with_nonce),
    ("nonce_binding_mismatch", take_nonce_of_another_wallet),
    ("invalid_signature", malform_signature),
    ("rate_limit_session", use_up_submissions),
    ("rate_limit_ip", use_up_submissions_of_the_address),
    ("not_accepted", block_network),
    ("balance_unavailable", lose_chain),
    ("ca_gate_failed", raise_gate),
    ("cooldown_active", start_cooldown),
    ("queue_full", fill_queue),
    ("duplicate", submit_wallet_already),
]
RECORD_NONCE = [
    *(step for step in NONCE if step[1] not in (lengthen_nickname, malform_nickname)),
    ("invalid_action", take_unknown_action),
]
RECORDS = [
    *DOOR,
    ("invalid_json", break_json),
    ("missing_fields", omit_field),
    ("invalid_key", name_another_page_in_body),
    ("page_not_found", delete_page),
    ("invalid_wallet_address", malform_address),
    ("invalid_nonce", tamper_with_nonce),
    ("nonce_binding_mismatch", take_record_nonce_of_another_wallet),
    ("invalid_signature", malform_signature),
    ("rate_limit_session", use_up_requests_for_records),
    ("rate_limit_ip", use_up_requests_for_records_of_the_address),
]
REFRESH = [
    *DOOR[:4],
    *((code, with_public_key(fault)) for code, fault in DOOR[4:]),
    ("secret_key_required", take_public_key),
    ("invalid_json", break_json),
    ("missing_fields", omit_field),
    ("invalid_key", name_another_page_in_body),
    ("rate_limit_key", use_up_refreshes),
    ("page_not_found", delete_page),
    ("invalid_wallet_address", malform_address),
    ("wallet_not_found", name_untracked_wallet),
    ("chain_disabled", have_no_endpoint),
    ("balance_unavailable", lose_endpoint),
]

# By endpoint: method, path, what makes an attempt a valid request, and the steps.
ENDPOINTS: dict[str, tuple[str, str, Callable[[Attempt], None], list]] = {
    "readTrackingPage": ("GET", "tracking/{}", lambda attempt: None, READ),
    "readListedWallet": ("GET", "tracking/{}/wallets/", Attempt.prepare_wallet, READ_WALLET),
    "createNonce": ("POST", "siws/nonce", Attempt.prepare_nonce, NONCE),
    "createSubmission": ("POST", "submissions", Attempt.prepare_draft, SUBMIT),
    "listSessionSubmissions": ("GET", "session/submissions", Attempt.prepare_list, LIST),
    "createRecordNonce": (
        "POST",
        "wallet-records/nonce",
        Attempt.prepare_record_nonce,
        RECORD_NONCE,
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
