"""What a machine may lack, except in CI."""

import os
from typing import NoReturn

import pytest


def skip_or_fail(needed: str) -> NoReturn:
    """Skip what needs this, or fail in CI, which has everything."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(needed)
