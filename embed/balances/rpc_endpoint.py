"""One RPC server, and how fast it's asked: never faster than its operator allows.

No text has any part of its address, which may contain a secret, nor has what is quoted.
"""

import logging
import re
import secrets
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote

import msgspec
from limits import RateLimitItem

from embed.domain.times import Seconds
from embed.outbound import Answer, AnswerTooLarge, Client, RequestFailed

T = TypeVar("T")

# Headers included; enough for some 7,000 token accounts of one owner.
MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_RETRY_AFTER_S = 60.0
_HEADERS = {"Content-Type": "application/json", "User-Agent": "tracking-embed"}
_TOO_MANY = 429
_UNHEALTHY = -32005  # some servers use it for too many requests
_TOO_LARGE = 413
INVALID_REQUEST, INVALID_PARAMS = -32600, -32602  # parameters such as an address that isn't a mint
# The others: an unknown method, a disabled one.
_REFUSALS = {INVALID_REQUEST, INVALID_PARAMS, -32601, -32010}
MOST_IN_CALL = 100  # in one call of getMultipleAccounts, as in Agave
_QUOTED = 200  # characters
_SHORTEST_SECRET = 6
_SAME_WARNING_EVERY_S = 60.0
ASKED_LAST_S = 60.0  # how long a failed RPC server is asked after the others
# Visitors wait for calls of this method, too, so background work leaves them half of its rate.
SHARED_METHOD = "getTokenAccountsByOwner"
_CALL_S = 0.05  # a guess at when a running call ends
_ROUNDING_S = 0.001

_log = logging.getLogger(__name__)


class WrongAnswer(ValueError):
    """An answer that can't be right; the text says why, without quoting it."""


class CallFailed(Exception):
    """A call that may succeed later or elsewhere; the text is a reason without addresses."""

    def __init__(
        self, reason: str, retry_after_s: Seconds = 0, *, is_about_call: bool = False
    ) -> None:
        """`is_about_call`: the RPC server answered; another call may well succeed."""
        super().__init__(reason)
        self.retry_after_s = retry_after_s
        self.is_about_call = is_about_call


class CallTooLarge(CallFailed):
    """A smaller call may succeed."""


class RpcRefused(Exception):
    """The RPC server answered with an error that retrying can't fix, such as -32602."""

    def __init__(self, code: int, quoted: str = "") -> None:
        super().__init__(f"The RPC server refused the call (error {code}{quoted}).")
        self.code = code
        self.quoted = quoted  # what it said


class _Error(msgspec.Struct):
    code: int
    message: str = ""


class _Envelope(msgspec.Struct):
    jsonrpc: str
    id: str | int | None = None
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: _Error | None = None


class _Recent:
    def __init__(self) -> None:
        self.open = 0
        self.ended_at: deque[Seconds] = deque()


class Pace:
    """Counts the calls of each method in a moving window; threads may share it.

    A call counts from its start until a full window after its end, since the RPC server counts it
    at some moment between start and end.
    """

    def __init__(self, limit: RateLimitItem) -> None:
        self._most = limit.amount
        self._window_s = limit.get_expiry()
        self._by_method: defaultdict[str, _Recent] = defaultdict(_Recent)
        self._lock = threading.Lock()

    def start(self, method: str, now: Seconds, *, is_urgent: bool) -> Seconds:
        """Count a call that starts now, and return 0; `end` must follow.

        If the rate is used up, count nothing, and return how many seconds to wait before
        trying again.
        """
        most = self._most
        if method == SHARED_METHOD and not is_urgent:
            most = max(1, most // 2)
        with self._lock:
            recent = self._by_method[method]
            while recent.ended_at and recent.ended_at[0] <= now - self._window_s:
                recent.ended_at.popleft()
            surplus = recent.open + len(recent.ended_at) - most
            if surplus < 0:
                recent.open += 1
                return 0
            if surplus < len(recent.ended_at):
                return recent.ended_at[surplus] + self._window_s - now + _ROUNDING_S
            return _CALL_S

    def end(self, method: str, now: Seconds) -> None:
        with self._lock:
            recent = self._by_method[method]
            recent.open -= 1
            recent.ended_at.append(now)


class Endpoint:
    """An RPC server's address, when it may be asked, and how its calls went."""

    def __init__(
        self, url: str, label: str, *, pace: Pace, client: Client, monotonic: Callable[[], Seconds]
    ) -> None:
        self.pace = pace
        self.client = client
        self.most_accounts = MOST_IN_CALL  # less where the server's own limit is lower
        self.failed_until = 0.0  # seconds of the monotonic clock, as below
        self.paused_until = 0.0
        self._url = url
        self._label = label
        # A short one, such as "com", is no secret, and may well be in a sentence.
        parts = re.split(r"[/?&=:@#]+", f"{url}/{unquote(url)}")
        self._parts = {part for part in parts if len(part) >= _SHORTEST_SECRET}
        self._monotonic = monotonic
        self._warned: tuple[str, Seconds] = ("", 0.0)

    def call(
        self, method: str, params: list[Any], parse: Callable[[msgspec.Raw], T], timeout_s: Seconds
    ) -> T:
        """Try once to make a call that `pace` has counted. Raises CallFailed, RpcRefused."""
        try:
            result = self.request(method, params, parse, timeout_s)
        except CallFailed as failure:
            now = self._monotonic()
            self.failed_until = now + ASKED_LAST_S
            self.paused_until = now + failure.retry_after_s
            self._warn(f"{method}: {failure}", now)
            raise
        finally:
            self.pace.end(method, self._monotonic())
        self.failed_until = 0.0
        return result

    def request(
        self, method: str, params: list[Any], parse: Callable[[msgspec.Raw], T], timeout_s: Seconds
    ) -> T:
        """Post a call, and return its result as `parse` reads it. Raises CallFailed, RpcRefused."""
        if timeout_s <= 0:
            raise CallFailed("timed out")
        call_id = secrets.token_hex(8)
        request = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
        try:
            answer = self.client.request(
                "POST",
                self._url,
                msgspec.json.encode(request),
                headers=_HEADERS,
                timeout_s=timeout_s,
                max_bytes=MAX_ANSWER_BYTES,
            )
        except AnswerTooLarge as failure:
            raise CallTooLarge(str(failure), is_about_call=True) from None
        except RequestFailed as failure:
            raise CallFailed(str(failure)) from None
        try:
            return parse(self._read_result(answer, call_id))
        except WrongAnswer as mistake:
            raise CallFailed(f"its answer is invalid: {mistake}", is_about_call=True) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            reason = "its answer is invalid: it is malformed"
            raise CallFailed(reason, is_about_call=True) from None

    def _read_result(self, answer: Answer, call_id: str) -> msgspec.Raw:
        retry_after_s = min(answer.retry_after_s or 0, MAX_RETRY_AFTER_S)
        if answer.status == _TOO_MANY:
            raise CallFailed("too many requests", retry_after_s)
        if answer.status not in (200, 400):  # some send 400 where others send 200 with an error
            kind = CallTooLarge if answer.status == _TOO_LARGE else CallFailed
            raise kind(f"HTTP status {answer.status}{self._quote_body(answer)}", retry_after_s)
        envelope = msgspec.json.decode(answer.body, type=_Envelope)
        if envelope.error is not None and envelope.id in (call_id, None):
            code = envelope.error.code
            quoted = self._quote(envelope.error.message)
            if code in _REFUSALS:
                raise RpcRefused(code, quoted)
            if code == _TOO_MANY:
                raise CallFailed("too many requests", retry_after_s)
            raise CallFailed(
                f"error {code}{quoted}", retry_after_s, is_about_call=code != _UNHEALTHY
            )
        if envelope.jsonrpc != "2.0" or envelope.id != call_id:
            raise WrongAnswer("it answers a different call")
        if answer.status != 200 or envelope.result is msgspec.UNSET:
            raise WrongAnswer("it has no result")
        return envelope.result

    def _quote_body(self, answer: Answer) -> str:
        try:
            error = msgspec.json.decode(answer.body, type=_Envelope).error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return ""
        return self._quote(error.message) if error else ""

    def _quote(self, message: str) -> str:
        """Return what the RPC server says for the end of a sentence, unless it has its address."""
        words = " ".join(message.split())
        if not words.isprintable() or any(part in words for part in self._parts):
            return ""
        return f": “{words[:_QUOTED].rstrip('.')}”" if words else ""

    def _warn(self, text: str, now: Seconds) -> None:
        """Log a failure, but the same one only once a minute."""
        warned, warned_at = self._warned
        if text != warned or now >= warned_at + _SAME_WARNING_EVERY_S:
            self._warned = text, now
            _log.warning("Solana RPC, %s, %s", self._label, text)
