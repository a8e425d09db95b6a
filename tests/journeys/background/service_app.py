"""What ``flask`` loads in these tests: the service with its own jobs and short leases."""

import shorter  # noqa: F401  # times, before anything uses them

from embed.factory import create_app
from embed.settings import Settings

app = create_app(Settings.from_environ())
