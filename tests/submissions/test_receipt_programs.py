"""The programs of docs/receipts.md accept receipts that hold, and nothing else."""

import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest
from support.absence import NODE_MODULES, find_node
from support.receipt_cases import (
    LONG_HOST,
    NEAR_MISSES,
    list_forgeries,
    list_receipts,
    make,
    write,
)
from support.servers import PROJECT_DIR

DOCS = PROJECT_DIR / "docs"

Check = Callable[[dict], subprocess.CompletedProcess[str]]


@pytest.fixture(params=["python", pytest.param("js", marks=pytest.mark.slow)])
def check(request, tmp_path) -> Check:
    """Run a program of the document on a receipt."""
    if request.param == "python":
        command = [sys.executable, DOCS / "check_receipt.py"]
    else:
        (tmp_path / "node_modules").symlink_to(NODE_MODULES)
        command = [find_node(), shutil.copy(DOCS / "check-receipt.mjs", tmp_path)]

    def run(receipt: dict) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "receipt.json"
        path.write_text(write(receipt), encoding="utf-8")
        return subprocess.run(
            [*command, path], capture_output=True, text=True, encoding="utf-8", timeout=60
        )

    return run


def is_accepted(done: subprocess.CompletedProcess[str]) -> bool:
    assert (done.returncode == 0) == done.stdout.startswith("The holder of "), done
    return done.returncode == 0


def test_receipts_in_every_form_hold(check):
    receipts = list_receipts(host=LONG_HOST)
    refused = {one["form"]: done for one in receipts if not is_accepted(done := check(one))}

    assert refused == {}


def test_name_of_any_script_is_told_and_one_that_was_not_signed_is_not(check):
    assert "अदिति 7" in check(make("v0", "अदिति 7")).stdout

    done = check(make(nickname=None))
    assert is_accepted(done)
    assert "Anybody" not in done.stdout  # the receipt's name


@pytest.mark.slow
def test_near_misses_do_not_hold(check):
    receipt = make()

    accepted = [name for name, spoil in NEAR_MISSES.items() if is_accepted(check(spoil(receipt)))]

    assert is_accepted(check(receipt))
    assert accepted == []


def test_forgeries_for_keys_of_small_order_do_not_hold(check):
    assert [one for one in list_forgeries() if is_accepted(check(one))] == []
