"""Somebody's own test, beside ours, needs only requirements.txt and pytest."""

import os
import re
import subprocess
import sys

from support.servers import PROJECT_DIR

OWN_TEST = """
from support.world import Visitor


def test_wallet_is_submitted(world):
    assert world.submit(Visitor()).status_code == 201


def test_needs_another_package(ledger):
    pass
"""
# Runs pytest as if the modules that follow weren't installed.
PROGRAM = """
import sys
from importlib.machinery import PathFinder

import pytest

find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name in sys.argv[2:] else find(name, *more)
sys.exit(pytest.main(["-q", sys.argv[1]]))
"""
MODULES = {"hypothesis": "hypothesis", "pytest-xdist": "xdist", "PyYAML": "yaml"}


def test_only_tests_that_use_another_package_need_it(tmp_path):
    lines = (PROJECT_DIR / "requirements-dev.txt").read_text().splitlines()
    packages = {re.match("[A-Za-z0-9-]+", line)[0] for line in lines if line[:1].isalnum()}
    modules = [MODULES.get(name, name.replace("-", "_")) for name in packages - {"pytest"}]
    own_tests = PROJECT_DIR / "tests" / f"test_{tmp_path.name}.py"
    own_tests.write_text(OWN_TEST)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, own_tests, *modules],
            cwd=PROJECT_DIR,
            env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
        )
    finally:
        own_tests.unlink()

    assert "1 passed, 1 error" in ran.stdout
    assert "solders" in ran.stdout
