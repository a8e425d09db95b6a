"""The context of a log line: the request or task that a thread is working on."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

REQUEST_ID_HEADER = "X-Request-Id"
# Keys in a request's environ that the app sets for the access log.
ROUTE, PAGE_ID = "embed.route", "embed.page_id"


class Context(NamedTuple):
    request_id: str | None = None
    task: str | None = None
    environ: Mapping[str, Any] | None = None  # the request's (PEP 3333), for redaction


_NOTHING = Context()
_current: ContextVar[Context] = ContextVar("_current", default=_NOTHING)


def find_context() -> Context:
    return _current.get()


def make_request_id() -> str:
    return f"{random.getrandbits(64):016x}"  # not a secret


def begin_request(request_id: str, environ: Mapping[str, Any] | None = None) -> None:
    _current.set(Context(request_id=request_id, environ=environ))


def end_request() -> None:
    _current.set(_NOTHING)


@contextmanager
def working_on_task(name: str) -> Iterator[None]:
    before = _current.set(Context(task=name))
    try:
        yield
    finally:
        _current.reset(before)
