"""What ``flask`` loads in these tests: the service with its own jobs and short leases."""

from dataclasses import replace

from worked_app import TIMING

from embed.factory import create_app
from embed.settings import Settings
from embed.worker.jobs import list_jobs

settings = Settings.from_environ()
app = create_app(settings, jobs=replace(list_jobs(settings), timing=TIMING))
