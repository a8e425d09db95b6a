"""The background work of one process: ``flask worker``, or one of gunicorn's."""

import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from peewee import InterfaceError, OperationalError, PeeweeException

from embed.db.connection import db
from embed.db.schema_version import NewerDatabase
from embed.db.upgrades import upgrade_until_done
from embed.domain.identifiers import make_id
from embed.runtime import Runtime
from embed.worker.consumer import ThreadConsumer
from embed.worker.dispatcher import Dispatcher
from embed.worker.jobs import Work
from embed.worker.outages import Outage
from embed.worker.presence import Kind, remove_process, report_process, should_work
from embed.worker.task_queue import ERRORS, open_queue, watch_queue
from embed.worker.tasks import TaskRunner

_SHORTEST_PAUSE_S = 0.05  # between two looks
_LAST_REPORT_S = 1.0  # for saying that it works no longer, once its tasks had their time

_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The process is to end while it waits for its database."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What exists while this process works."""

    process_id: str
    started_at: datetime
    runner: TaskRunner
    dispatcher: Dispatcher
    consumer: ThreadConsumer


class Background:
    """Threads that do the background work while it is up to this process."""

    def __init__(self, runtime: Runtime, work: Work, kind: Kind) -> None:
        self._runtime = runtime
        self._work = work
        self._kind: Kind = kind
        self._parts: _Parts | None = None
        self._beat_at: datetime | None = None
        self._database = Outage(
            "The database of the background work", OperationalError, InterfaceError
        )
        self._queue = watch_queue(runtime.settings)
        self._is_stopping = threading.Event()
        self._wake = threading.Event()
        self._finish_by = 0.0
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Begin as soon as the database is there; never raises for one that is not."""
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def stop(self, finish_s: float) -> None:
        """End, and wait so long for tasks that run, and for the last report.

        The leases of those that do not end run out, and another process does them again.
        """
        self._finish_by = time.monotonic() + finish_s
        self._is_stopping.set()
        self._wake.set()
        self._thread.join(finish_s + _LAST_REPORT_S)

    def _run(self) -> None:
        try:
            upgrade_until_done(self._wait_for_database)
            while not self._is_stopping.is_set():
                self._step()
                self._wake.wait(self._work.timing.look_s)
                self._is_stopping.wait(_SHORTEST_PAUSE_S)
                self._wake.clear()
        except _Stopped:
            pass
        except NewerDatabase as error:
            _log.error("%s", error)
        finally:
            self._end(self._finish_by)

    def _wait_for_database(self, wait_s: float) -> None:
        if self._is_stopping.wait(wait_s):
            raise _Stopped

    def _step(self) -> None:
        try:
            with self._database.watch():
                self._work_or_rest()
        except (OperationalError, InterfaceError):
            db.close()  # the outage is logged; the next step connects again
        except ERRORS:
            pass  # this outage is logged, too
        except Exception:  # a mistake in one step must not end all background work
            _log.exception("The background work was interrupted.")
            db.close()
            self._is_stopping.wait(self._work.timing.beat.total_seconds())

    def _work_or_rest(self) -> None:
        timing = self._work.timing
        now = self._runtime.clock()
        if not should_work(self._kind, self._runtime.settings, now, timing.seen_within):
            self._end(time.monotonic())
            return
        parts = self._parts = self._parts or self._begin(now)
        if self._beat_at is None or not timedelta() <= now - self._beat_at < timing.beat:
            report_process(parts.process_id, self._kind, parts.started_at, now)
            parts.runner.renew_leases()
            self._beat_at = now
        parts.runner.release_unreported()
        parts.dispatcher.look()

    def _begin(self, now: datetime) -> _Parts:
        process_id = make_id()
        queue = open_queue(self._runtime.settings, self._queue)
        runner = TaskRunner(
            self._runtime, self._work, process_id, self._database, self._look_for_more
        )
        dispatcher = Dispatcher(self._runtime, self._work, process_id, queue, runner)
        consumer = ThreadConsumer(queue, self._work.threads)
        consumer.start()
        return _Parts(process_id, now, runner, dispatcher, consumer)

    def _look_for_more(self) -> None:
        if self._parts is not None and self._parts.dispatcher.has_more:
            self._wake.set()

    def _end(self, finish_by: float) -> None:
        """Take no more tasks, and report that this process works no longer."""
        if self._parts is None:
            return
        parts, self._parts, self._beat_at = self._parts, None, None
        parts.consumer.end()
        if self._is_stopping.is_set():
            parts.runner.stop()
            if self._runtime.chain is not None:
                self._runtime.chain.stop()  # a call may wait for minutes until it is tried again
        parts.consumer.join(max(finish_by - time.monotonic(), 0.0))
        with suppress(PeeweeException):  # its report runs out by itself
            remove_process(parts.process_id)
        db.close()
