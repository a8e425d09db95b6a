"""Run a module, such as gunicorn, under libfaketime: ``run_stepped.py MODULE ARGUMENTS``.

With the monotonic clock left alone, libfaketime breaks sleeps until a point of that clock, which is
how time.sleep does it ("Invalid argument"). Waiting for an event is not affected.
"""

import runpy
import sys
import threading
import time
from pathlib import Path

time.sleep = threading.Event().wait
del sys.argv[0]
sys.path[0] = str(Path.cwd())  # as python -m has it
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
