"""What runs at the same time while something is measured."""

from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.servers import Unavailable


class Running:
    """What runs at the same time, and which of it this machine lacks."""

    def __init__(self) -> None:
        self.missing: list[str] = []  # in sentences
        self._running = ExitStack()

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def make_folder(self) -> Path:
        return Path(self.enter(TemporaryDirectory(prefix="embed-bench-")))

    def enter(self, context: AbstractContextManager[Any]) -> Any:
        return self._running.enter_context(context)

    def try_to_enter(self, name: str, context: AbstractContextManager[Any]) -> Any:
        """Return what the context gives, None where this machine lacks it."""
        try:
            return self.enter(context)
        except Unavailable as why:
            self.missing.append(f"{name} is left out: {why}.")
            return None
