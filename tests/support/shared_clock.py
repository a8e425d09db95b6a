"""A clock that only the test moves, for all processes of a service."""

import os
from datetime import datetime
from pathlib import Path

from support.world import Clock


class SharedClock(Clock):
    """Keeps its time in a file; beginning again sets it back to the start of every test."""

    def __init__(self, path: Path, *, is_new: bool = True) -> None:
        self._path = path
        if is_new:
            super().__init__()

    @property
    def now(self) -> datetime:
        return datetime.fromisoformat(self._path.read_text())

    @now.setter
    def now(self, time: datetime) -> None:
        written = self._path.with_suffix(".new")
        written.write_text(time.isoformat())
        os.replace(written, self._path)  # noqa: PTH105 - so that nobody reads half of it
