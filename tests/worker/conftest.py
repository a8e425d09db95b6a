"""The parts of a process that works in the background."""

import pytest
from one_process import OneProcess


@pytest.fixture
def process(app, clock) -> OneProcess:
    """A process whose jobs the test defines, without threads: the test says when it does what."""
    return OneProcess(app, clock)
