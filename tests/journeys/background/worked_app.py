"""What ``flask`` and gunicorn load in these tests: the service with jobs and short times.

WORK_JOBS names the jobs; with none, the service has its own. WORK_LOG names a file to which each
job appends a line when it begins and when it ends. A job ends when the file WORK_GATE exists, if
that is set.
"""

import os
import time
from datetime import timedelta
from pathlib import Path

from embed import worker
from embed.db import work_status
from embed.factory import create_app
from embed.notifications import delivery
from embed.settings import Settings
from embed.worker import Job

LOG = Path(os.environ["WORK_LOG"])
EVERY = timedelta(seconds=float(os.environ.get("WORK_EVERY_S", "3600")))
TASK_S = float(os.environ.get("WORK_TASK_S", "0"))
GATE = Path(os.environ.get("WORK_GATE", __file__))
NAMES = os.environ.get("WORK_JOBS", "count").split()

worker.LOOK_S = 0.05
work_status.LEASE = delivery.CLAIM = timedelta(seconds=float(os.environ["WORK_LEASE_S"]))
work_status._RENEWED_AFTER = timedelta(seconds=0.2)


def note(*words: object) -> None:
    """Append a line; writes of one line do not mix."""
    line = " ".join(map(str, (*words, os.getpid()))) + "\n"
    with LOG.open("a") as log:
        log.write(line)


def work_as(name: str):
    def run(_runtime, check_stop) -> str:
        note("begin", name)
        time.sleep(TASK_S)
        while not GATE.exists():
            time.sleep(0.02)
        check_stop()
        note("end", name)
        return "Done."

    return run


jobs = [Job(name, EVERY, work_as(name)) for name in NAMES]
app = create_app(Settings.from_environ(), jobs=jobs or None)
