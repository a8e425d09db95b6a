"""The background work of one process: ``flask worker``, or one of gunicorn's."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from peewee import PeeweeException

from embed.db.connection import db
from embed.db.schema_version import OtherVersion, upgrade_until_done
from embed.db.work_status import Kind, is_anybody_working, remove_process, report_process
from embed.domain.identifiers import make_id
from embed.runtime import Runtime
from embed.settings import Settings
from embed.worker.jobs import Jobs
from embed.worker.outages import ERRORS, Outage
from embed.worker.tasks import TaskRunner

_SHORTEST_PAUSE_S = 0.05  # between two looks
_LAST_REPORT_S = 1.0  # for saying that it works no longer, once its tasks had their time

_log = logging.getLogger(__name__)


def should_work(kind: Kind, settings: Settings, now: datetime) -> bool:
    """Tell whether processes of a kind do the background work.

    gunicorn's do it only while no ``flask worker`` does, and never where BACKGROUND is worker.
    """
    if kind == "worker":
        return True
    return settings.background == "gunicorn" and not is_anybody_working(now, "worker")


class Background:
    """A thread that looks what is due and has it done, while that is up to this process."""

    def __init__(
        self,
        runtime: Runtime,
        jobs: Jobs,
        kind: Kind,
        *,
        begin: Callable[[], None] | None = None,
    ) -> None:
        """`begin` is called once, before the work, as soon as the database is at this version."""
        self._runtime = runtime
        self._chain = runtime.chain  # made before the tasks, whose threads share it
        self._timing = jobs.timing
        self._kind: Kind = kind
        self._begin = begin
        self._process_id = make_id()
        self._working_since: datetime | None = None
        self._beat_at: datetime | None = None
        self._outage = Outage()
        self._is_stopping = threading.Event()
        self._wake = threading.Event()
        self._finish_by = 0.0
        self._runner = TaskRunner(
            runtime, jobs, self._process_id, outage=self._outage, on_free=self._wake.set
        )
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
            upgrade_until_done(wait=self._is_stopping.wait)
            while not self._is_stopping.is_set():
                self._step()
                self._wake.wait(self._timing.look_s)
                self._is_stopping.wait(_SHORTEST_PAUSE_S)
                self._wake.clear()
        except OtherVersion as error:
            _log.error("%s", error)
        finally:
            if self._is_stopping.is_set() and self._chain is not None:
                self._chain.stop()  # a call may wait for minutes until it is tried again
            self._runner.stop(max(self._finish_by - time.monotonic(), 0.0))
            self._rest()

    def _step(self) -> None:
        try:
            with self._outage.watch():
                self._work_or_rest()
        except ERRORS:
            db.close()  # the outage is logged; the next step connects again
        except Exception:  # a mistake in one step must not end all background work
            _log.exception("The background work was interrupted.")
            db.close()
            self._is_stopping.wait(self._timing.beat.total_seconds())

    def _work_or_rest(self) -> None:
        if self._begin is not None:
            self._begin()
            self._begin = None
        now = self._runtime.clock()
        is_beat = (
            self._beat_at is None or not timedelta() <= now - self._beat_at < self._timing.beat
        )
        if is_beat:
            self._runner.renew_leases()  # also of tasks that go on while this process rests
            self._beat_at = now
        self._runner.release_unreported()
        if not should_work(self._kind, self._runtime.settings, now):
            self._rest()
            return
        if is_beat or self._working_since is None:
            self._working_since = self._working_since or now
            report_process(self._process_id, self._kind, self._working_since, now)
        self._runner.start_due()

    def _rest(self) -> None:
        """Report that this process works no longer."""
        if self._working_since is None:
            return
        self._working_since = None
        with suppress(PeeweeException):  # its report runs out by itself
            remove_process(self._process_id)
        db.close()
