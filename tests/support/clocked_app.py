"""What gunicorn serves where a test moves the clock: the service with that clock.

It does no background work, as the tests themselves do what of it they need.
"""

import os
from pathlib import Path

from support.shared_clock import SharedClock

from embed.factory import create_app
from embed.settings import Settings

app = create_app(
    Settings.from_environ(),
    clock=SharedClock(Path(os.environ["SHARED_CLOCK"]), is_new=False),
    jobs=(),
)
