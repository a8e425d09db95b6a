"""What ``flask`` and gunicorn load in these tests: the service with jobs and short times.

WORK_LOG names a file to which each task appends a line when it begins and when it ends. A
task that is not quick ends when the file WORK_GATE exists, if that is set.
"""

import os
import time
from datetime import timedelta
from pathlib import Path

from embed.factory import create_app
from embed.settings import Settings
from embed.worker.jobs import Jobs, KeyedJob, PeriodicJob, Timing

LOG = Path(os.environ["WORK_LOG"])
EVERY = timedelta(seconds=float(os.environ.get("WORK_EVERY_S", "3600")))
TASK_S = float(os.environ.get("WORK_TASK_S", "0"))
GATE = Path(os.environ.get("WORK_GATE", __file__))
KEYS = os.environ.get("WORK_KEYS", "").split()
TIMING = Timing(
    look_s=0.05,
    beat=timedelta(seconds=0.2),
    lease=timedelta(seconds=float(os.environ["WORK_LEASE_S"])),
)


def note(*words: object) -> None:
    """Append a line; writes of one line do not mix."""
    line = " ".join(map(str, (*words, os.getpid()))) + "\n"
    with LOG.open("a") as log:
        log.write(line)


def be_slow() -> None:
    time.sleep(TASK_S)
    while not GATE.exists():
        time.sleep(0.02)


def work_as(name: str):
    def run(_runtime, keep_alive) -> str:
        note("begin", name)
        be_slow()
        keep_alive()
        note("end", name)
        return "Done."

    return run


def find_due(_now) -> dict[str, str]:
    done = {line.split()[1] for line in LOG.read_text().splitlines() if line.startswith("end")}
    return dict.fromkeys((key for key in KEYS if key not in done), "group")


def serve(key, _runtime, _keep_alive) -> None:
    if key not in find_due(None):
        return  # done since it was found
    note("begin", key)
    if key.startswith("slow"):
        be_slow()
    note("end", key)


JOBS = {
    "count": PeriodicJob("count", EVERY, work_as("count")),
    "often": PeriodicJob("often", timedelta(milliseconds=1), work_as("often")),
}

app = create_app(
    Settings.from_environ(),
    jobs=Jobs(
        (
            *(JOBS[name] for name in os.environ.get("WORK_JOBS", "count").split()),
            KeyedJob("key", find_due, serve, at_once=4),
        ),
        timing=TIMING,
    ),
)
