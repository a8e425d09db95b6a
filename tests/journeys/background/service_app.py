"""What ``flask`` loads in these tests: the service with its own jobs and short leases."""

from dataclasses import replace

from worked_app import TIMING

from embed.factory import create_app
from embed.settings import Settings
from embed.worker.registry import list_work

settings = Settings.from_environ()
app = create_app(settings, work=replace(list_work(settings), timing=TIMING))
