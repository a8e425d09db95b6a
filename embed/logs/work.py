"""What a thread is working on, which every line of the log names: a request, or a task."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Work:
    request_id: str | None = None
    task: str | None = None
    environ: Mapping[str, Any] | None = None  # the request's (PEP 3333), for redaction


_NOTHING = Work()
_current: ContextVar[Work] = ContextVar("_current", default=_NOTHING)


def find_work() -> Work:
    return _current.get()


def begin_request(request_id: str, environ: Mapping[str, Any] | None = None) -> None:
    _current.set(Work(request_id=request_id, environ=environ))


def end_request() -> None:
    _current.set(_NOTHING)


@contextmanager
def working_on_task(name: str) -> Iterator[None]:
    before = _current.set(Work(task=name))
    try:
        yield
    finally:
        _current.reset(before)
