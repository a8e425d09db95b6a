"""An outage is two lines in the log, however many threads meet it."""

import logging
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from peewee import InterfaceError, OperationalError, ProgrammingError

from embed.db.connection import db
from embed.worker.outages import Outage


@pytest.fixture
def outage(caplog):
    caplog.set_level(logging.INFO, "embed")
    return Outage()


def fail(outage, error: type[Exception] = OperationalError) -> None:
    with pytest.raises(error), outage.watch():
        raise error("secret")


def succeed(outage) -> None:
    with outage.watch():
        pass


def test_only_beginning_and_end_are_logged(outage, caplog):
    for _ in range(2):
        succeed(outage)
        fail(outage)
        fail(outage, InterfaceError)
        succeed(outage)

    assert [record.message for record in caplog.records] == [
        "The database of the background work does not answer (OperationalError)."
        " It is tried again until it does.",
        "The database of the background work answers again.",
    ] * 2


def test_thread_that_asked_before_the_end_of_an_outage_begins_none(outage, caplog):
    def be_slow() -> None:
        with outage.watch():
            fail(outage)
            succeed(outage)
            raise OperationalError

    with pytest.raises(OperationalError):
        be_slow()

    assert len(caplog.records) == 2


def test_thread_that_asked_before_an_outage_does_not_end_it(outage, caplog):
    with outage.watch():
        fail(outage)
    fail(outage)
    assert len(caplog.records) == 1

    succeed(outage)
    assert len(caplog.records) == 2


@pytest.mark.databases("sqlite")
def test_task_is_not_started_again_while_the_database_file_is_gone(process):
    file = Path(urlsplit(db.obj.database).path)
    process.define_job(lambda _runtime, _keep_alive: file.rename(f"{file}.away") and "Done.")
    process.look()
    task = threading.Thread(target=process.run_all)  # with a connection of its own
    task.start()
    task.join()

    with pytest.raises(OperationalError):
        process.runner.release_unreported()
    Path(f"{file}.away").rename(file)
    process.runner.release_unreported()
    assert process.look() == 1


def test_other_errors_are_no_outage(outage, caplog):
    fail(outage, ProgrammingError)

    assert caplog.records == []
