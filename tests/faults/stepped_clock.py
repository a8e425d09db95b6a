"""A clock that a test steps under a running server, by libfaketime."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import requests
from load import CUT_OFF
from support.absence import skip_or_fail
from support.servers import Gunicorn
from support.waiting import wait_for

_LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))


class SteppedClock:
    """The clock of the processes that have its environment, hours away from the true time."""

    def __init__(self, folder: Path) -> None:
        if not _LIBRARIES:
            skip_or_fail("apt-get install faketime brings a clock that tests can step")
        self._file = folder / "clock"
        self._write(0)
        self.environ = {
            "LD_PRELOAD": str(_LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def step_to(self, hours: float, server: "SteppedGunicorn") -> None:
        """Step it, and wait until the server has seen that, which may take it a second."""
        self._write(hours)
        wait_for(lambda: _is_at(hours, server))

    def _write(self, hours: float) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(f"{hours * 3600:+.0f}\n")
        new.replace(self._file)  # at once, as processes read it all the time


class SteppedGunicorn(Gunicorn):
    program = (str(Path(__file__).with_name("run_stepped.py")), "gunicorn")


def _is_at(hours: float, server: SteppedGunicorn) -> bool:
    try:
        answer = requests.get(f"{server.url}/healthz", timeout=60)
    except CUT_OFF:
        return False  # a process that was killed
    away = parsedate_to_datetime(answer.headers["Date"]) - datetime.now(UTC)
    return abs(away - timedelta(hours=hours)) < timedelta(minutes=1)
