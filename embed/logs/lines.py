"""The form of a line of the log: text for people, or a JSON object for programs.

Texts in it may come from anybody. So that nobody can make up a line, or send commands to a
terminal, line ends and other characters that print nothing are escaped. In text, a line that
belongs to the one before, as in a traceback, begins with four spaces.
"""

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from embed.domain.times import format_instant
from embed.logs.redaction import Redactor
from embed.logs.work import Work, find_work

# The attribute of a record with what its line says besides, by name. Such a line is made of parts
# that were checked, and is one for each request: it is not searched for secrets, which takes long.
FIELDS = "fields"

# Characters of a message and of a traceback; of the latter the end says most. What is cut off is
# read by the redaction up to the larger bound, so that no part of a secret is left.
_LONGEST_MESSAGE = 4_000
_LONGEST_TRACEBACK = 20_000
_LONGEST_READ = 60_000
_INDENT = "    "


class LineFormatter(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def read_message(self, record: logging.LogRecord, work: Work) -> str:
        message = _read_message(record)[:_LONGEST_READ]
        if not hasattr(record, FIELDS):
            message = self._redactor.redact(message, work.environ)
        message = escape(message)
        return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"

    def list_traceback(self, record: logging.LogRecord, work: Work) -> list[str]:
        """Return the lines of a record's traceback; empty if it has none."""
        parts = [self.formatException(record.exc_info)] if record.exc_info else []
        parts += [record.stack_info] if record.stack_info else []
        text = "\n".join(parts)[-_LONGEST_READ:]
        text = self._redactor.redact(text, work.environ)[-_LONGEST_TRACEBACK:]
        return [escape(line) for line in text.split("\n")] if text else []


class TextFormatter(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        work = find_work()
        start = f"{_format_time(record)} [{record.process}] {record.levelname}"
        lines = [f"{start} {self.read_message(record, work)}{_name_work(work)}"]
        lines += [_INDENT + line for line in self.list_traceback(record, work)]
        return "\n".join(lines)


class JsonFormatter(LineFormatter):
    def format(self, record: logging.LogRecord) -> str:
        work = find_work()
        entry: dict[str, Any] = {
            "time": _format_time(record),
            "level": record.levelname,
            "logger": record.name,
            "processId": record.process,
            "message": self.read_message(record, work),
        }
        entry |= dict(_list_work(work))
        entry |= getattr(record, FIELDS, {})
        if traceback := self.list_traceback(record, work):
            entry["traceback"] = "\n".join(traceback)
        return json.dumps(entry)


def make_formatter(form: str, redactor: Redactor) -> LineFormatter:
    """`form` is `text` or `json`."""
    return JsonFormatter(redactor) if form == "json" else TextFormatter(redactor)


def escape(text: str) -> str:
    """Write characters that print nothing, line ends among them, as Python would."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def _read_message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # the arguments do not fit, or cannot be printed: a line is better than none
        return str(record.msg)


def _format_time(record: logging.LogRecord) -> str:
    return format_instant(datetime.fromtimestamp(record.created, UTC))


def _name_work(work: Work) -> str:
    return "".join(f" ({escape(str(value))})" for _, value in _list_work(work))


def _list_work(work: Work) -> Iterator[tuple[str, str]]:
    if work.request_id is not None:
        yield "requestId", work.request_id
    if work.task is not None:
        yield "task", escape(work.task)
