"""Shorter times for the background work of the process that imports this."""

import os
from datetime import timedelta

from embed import worker
from embed.db import work_status
from embed.notifications import delivery

worker.LOOK_S = 0.05
work_status.LEASE = delivery.CLAIM = timedelta(seconds=float(os.environ["WORK_LEASE_S"]))
work_status._RENEWED_AFTER = timedelta(seconds=0.2)
