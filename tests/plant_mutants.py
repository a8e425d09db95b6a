"""Plant each fault of mutants.toml in a copy of this checkout, and tell which test catches it.

    .venv/bin/python tests/plant_mutants.py [--all] [WORD]

Only the tests in `caught_by` run; with --all, the quick tests up to the first that fails, and the
named ones if none does. With WORD, only the faults whose file or sentence contains it are planted.
Exits with 1 if a fault survives the tests that are named for it, or can't be planted.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

PROJECT_DIR = Path(__file__).resolve().parent.parent
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "instance", "venv")
QUICK = ["-n", "auto", "--dist", "worksteal", "-x"]
FAILURE = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="run the quick tests before the named")
    parser.add_argument("word", nargs="?", default="", help="plant only the faults that contain it")
    options = parser.parse_args()
    listed = tomllib.loads((PROJECT_DIR / "tests/mutants.toml").read_text())["mutant"]
    mutants = [one for one in listed if options.word in f"{one['file']} {one['fault']}"]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(PROJECT_DIR, copy, ignore=NOT_COPIED)
        named = sorted({test for one in mutants for test in one["caught_by"]})
        if failed := run_named(copy, named):
            print(f"FAILS WITHOUT A FAULT  {failed}")
            return 1
        results = [plant(one, copy, runs_quick=options.all) for one in mutants]
    print(", ".join(f"{results.count(each)} {each}" for each in sorted(set(results))))
    return 1 if {"SURVIVED", "NOT PLANTED"} & set(results) else 0


def plant(mutant: dict[str, Any], copy: Path, *, runs_quick: bool) -> str:
    """Plant one fault, run tests, and print a line; return the result in a word or two."""
    path = copy / mutant["file"]
    source = path.read_text() if path.is_file() else ""
    found, caught_by = source.count(mutant["old"]), ""
    if found == 1:
        path.write_text(source.replace(mutant["old"], mutant["new"]))
        caught_by = run_tests(copy, *QUICK) if runs_quick else ""
        caught_by = caught_by or run_named(copy, mutant["caught_by"])
        path.write_text(source)
    result = "NOT PLANTED" if found != 1 else "caught" if caught_by else "SURVIVED"
    where = f"{mutant['file']} has `old` {found} time(s)" if found != 1 else mutant["file"]
    print(f"{result}  {mutant['fault']}\n    {caught_by or where}", flush=True)
    return result


def run_named(copy: Path, names: list[str]) -> str:
    """Run these tests, slow ones included."""
    return run_tests(copy, "-n", "0", "-m", "", *names) if names else ""


def run_tests(copy: Path, *arguments: str) -> str:
    """Return the tests that failed, empty if none did. Raises RuntimeError if they can't run."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # two edits may have the same second
        capture_output=True,
        text=True,
        check=False,
    )
    failed = ", ".join(FAILURE.findall(ran.stdout))
    if ran.returncode > 2 or bool(ran.returncode) != bool(failed):
        raise RuntimeError(f"pytest ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
