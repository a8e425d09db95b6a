"""The form of a line of the log, whatever is in it."""

import json
import logging
from contextlib import suppress

import pytest

from embed.logs.context import begin_request, end_request, working_on_task
from embed.logs.lines import FIELDS, make_formatter
from embed.logs.redaction import Redactor

FORMS = ["text", "json"]
HOSTILE = [
    "first\n2026-01-31T09:30:00.000Z [1] ERROR made up",
    "clears \x1b[2J the screen",
    "line ends of Unicode \u2028 \u2029 \x85",
    "half a character \ud800",
]


@pytest.fixture(autouse=True)
def no_request():
    """Forget the request of an answer that a test before did not close."""
    end_request()


def write(form: str, message: str, *arguments: object, **more: object) -> str:
    record = logging.LogRecord("embed.x", logging.WARNING, "", 0, message, arguments, None)
    vars(record).update(more)
    return make_formatter(form, Redactor()).format(record)


def fail(text: str) -> dict[str, object]:
    """Return what a record has of an error with this text."""
    error = ValueError(text)
    with suppress(ValueError):
        _raise(error)
    return {"exc_info": (ValueError, error, error.__traceback__)}


def _raise(error: ValueError) -> None:
    raise error


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", FORMS)
def test_hostile_message_makes_one_printable_line(form, text):
    for line in (write(form, text), write(form, "said %s", text)):
        assert line.isprintable()
        line.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_error_begins_no_line_of_text(text):
    first, *rest = write("text", "Failed.", **fail(text)).split("\n")

    assert first.endswith("WARNING Failed.")
    assert all(line.startswith("    ") and line.isprintable() for line in rest)
    assert any(line.startswith("    ValueError: ") for line in rest)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_error_is_one_json_object_on_one_line(text):
    line = write("json", "Failed.", **fail(text))

    assert line.isascii()
    assert line.isprintable()
    traceback = json.loads(line)["traceback"]
    assert traceback.startswith("Traceback")
    traceback.encode("utf-8")  # no half characters, which some readers of JSON refuse


def test_json_says_what_text_says():
    record = logging.LogRecord("embed.x", logging.ERROR, "", 0, "Not %s.", ("here",), None)
    record.created, record.process = 1_769_851_800.25, 4711

    entry = json.loads(make_formatter("json", Redactor()).format(record))
    text = make_formatter("text", Redactor()).format(record)

    assert entry == {
        "time": "2026-01-31T09:30:00.250Z",
        "level": "ERROR",
        "logger": "embed.x",
        "processId": 4711,
        "message": "Not here.",
    }
    assert text == "2026-01-31T09:30:00.250Z [4711] ERROR Not here."


def test_fields_of_a_line_are_in_its_json():
    assert json.loads(write("json", "x", **{FIELDS: {"status": 200}}))["status"] == 200


def test_lines_name_the_request_or_the_task_they_belong_to():
    begin_request("abc-123")
    during = [write("text", "x"), json.loads(write("json", "x"))["requestId"]]
    end_request()
    with working_on_task("prune"):
        task = [write("text", "x"), json.loads(write("json", "x"))["task"]]

    assert during[0].endswith("WARNING x (abc-123)")
    assert during[1] == "abc-123"
    assert task[0].endswith("WARNING x (prune)")
    assert task[1] == "prune"
    assert write("text", "x").endswith("WARNING x")
    assert not {"requestId", "task"} & set(json.loads(write("json", "x")))


@pytest.mark.parametrize("form", FORMS)
def test_endless_text_is_cut(form):
    line = write(form, "%s", "long " * 100_000, **fail("too " * 100_000))

    assert len(line) < 30_000
