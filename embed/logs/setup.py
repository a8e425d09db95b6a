"""Sending everything that Python logs to one place, in one form."""

import logging
import sys
import threading
from collections.abc import Iterable
from types import TracebackType

from embed.logs.lines import make_formatter
from embed.logs.redaction import Redactor

_log = logging.getLogger("embed")


def set_up_logs(form: str, secrets: Iterable[str]) -> None:
    """Log to standard error; where something is set up already, as by gunicorn, leave it so."""
    if not logging.root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(make_formatter(form, Redactor(secrets)))
        log_everything_to([handler])


def log_everything_to(handlers: Iterable[logging.Handler]) -> None:
    """Let all loggers that have no handler of their own, warnings and uncaught errors use these."""
    logging.root.handlers[:] = handlers
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _log_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
    else:
        _log.critical("Ended by an unexpected error.", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None and not issubclass(failure.exc_type, SystemExit):
        what = (failure.exc_type, failure.exc_value, failure.exc_traceback)
        name = failure.thread.name if failure.thread is not None else "unknown"
        _log.critical("The thread %s was ended by an unexpected error.", name, exc_info=what)
