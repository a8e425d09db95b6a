"""A self-hosted service that embeds tracking pages; importing it loads nothing else."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 -- for users of older versions
    major, minor, *_ = sys.version_info
    sys.exit(f"Error: Python 3.11 or newer is needed; this is {major}.{minor}.")

__version__ = "0.7.0"
