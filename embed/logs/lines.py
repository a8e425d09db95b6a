"""The format of log lines, as text for people or JSON for programs, and where they're written.

Text in them may come from anyone. Line ends and other nonprinting characters are escaped, so
nobody can forge a line or send commands to a terminal. In text format, a line that continues the
one before, such as a traceback's, begins with four spaces.
"""

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from embed.domain.times import format_instant
from embed.logs.context import find_context
from embed.logs.redaction import Redactor

_log = logging.getLogger("embed")

# The record's attribute with a line's additional fields, by name. Such lines consist of checked
# parts, and most are one per request. They aren't searched for secrets, which is slow.
FIELDS = "fields"

# Characters of a message and of a traceback, whose end is kept, since it says the most. Redaction
# reads up to the larger limit before text is cut off, so no part of a secret is left.
_LONGEST_MESSAGE = 4_000
_LONGEST_TRACEBACK = 20_000
_LONGEST_READ = 60_000
_INDENT = "    "
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


class LineFormatter(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def read_message(self, record: logging.LogRecord) -> str:
        message = _read_message(record)[:_LONGEST_READ]
        if record.name == "werkzeug":  # flask run's, in colors even if there's no terminal
            message = _COLORS.sub("", message)
        if not hasattr(record, FIELDS):
            message = self._redactor.redact(message, find_context().environ)
        message = escape(message)
        return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"

    def list_traceback(self, record: logging.LogRecord) -> list[str]:
        """Return the lines of a record's traceback; empty if there's none."""
        parts = [self.formatException(record.exc_info)] if record.exc_info else []
        parts += [record.stack_info] if record.stack_info else []
        text = "\n".join(parts)[-_LONGEST_READ:]
        text = self._redactor.redact(text, find_context().environ)[-_LONGEST_TRACEBACK:]
        return [escape(line) for line in text.split("\n")] if text else []


class TextFormatter(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        about = "".join(f" ({value})" for value in _describe_context().values())
        start = f"{_format_time(record)} [{record.process}] {record.levelname}"
        lines = [f"{start} {self.read_message(record)}{about}"]
        return "\n".join(lines + [_INDENT + line for line in self.list_traceback(record)])


class JsonFormatter(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": _format_time(record),
            "level": record.levelname,
            "logger": record.name,
            "processId": record.process,
            "message": self.read_message(record),
            **_describe_context(),
            **getattr(record, FIELDS, {}),
        }
        if traceback := self.list_traceback(record):
            entry["traceback"] = "\n".join(traceback)
        return json.dumps(entry)


def make_formatter(form: str, redactor: Redactor) -> LineFormatter:
    """Return the formatter for `form`, which is `text` or `json`."""
    return JsonFormatter(redactor) if form == "json" else TextFormatter(redactor)


def escape(text: str) -> str:
    """Escape nonprinting characters, including line ends, as Python would."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def _read_message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage().rstrip()
    except Exception:  # the arguments don't fit or can't be printed, but some line is needed
        return str(record.msg)


def _format_time(record: logging.LogRecord) -> str:
    return format_instant(datetime.fromtimestamp(record.created, UTC))


def _describe_context() -> dict[str, str]:
    context = find_context()
    described = {"requestId": context.request_id, "task": context.task}
    return {name: escape(value) for name, value in described.items() if value is not None}


def set_up_logs(form: str, secrets: Iterable[str]) -> None:
    """Log to standard error, unless logging is already set up, for example by gunicorn."""
    if not logging.root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(make_formatter(form, Redactor(secrets)))
        log_everything_to([handler])


def log_everything_to(handlers: Iterable[logging.Handler], level: int = logging.INFO) -> None:
    """Send warnings, uncaught errors, and all loggers without their own handlers to these.

    `level` is for the service's own loggers.
    """
    logging.root.handlers[:] = handlers
    _log.setLevel(level)
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
