"""A self-hosted service that embeds tracking pages; importing it loads nothing else."""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

    from embed.settings import Settings

if sys.version_info < (3, 11):  # noqa: UP036 -- for users of older versions
    major, minor, *_ = sys.version_info
    sys.exit(f"Error: Python 3.11 or newer is needed; this is {major}.{minor}.")

__version__ = "0.8.0"


def create_app(settings: "Settings | None" = None, **parts: Any) -> "Flask":
    """Make the WSGI app; embed/factory.py describes the arguments."""
    # Imported here, so that `import embed` checks Python's version before anything is installed.
    from embed import factory

    return factory.create_app(settings, **parts)
