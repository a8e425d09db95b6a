"""What a machine may lack, except in CI."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

NODE_MODULES = Path(__file__).resolve().parents[2] / "node_modules"


def skip_or_fail(needed: str) -> NoReturn:
    """Skip what needs this, or fail in CI, which has everything."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(needed)


def find_node() -> Path:
    """Return the Node that npm brings along with the packages of package.json."""
    node = NODE_MODULES / ".bin/node"
    if not node.exists():
        skip_or_fail("npm ci brings Node and what the scripts are checked with")
    return node
