"""flask demo as a process."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.servers import PROJECT_DIR, clean_environ

THIS_FLASK = (sys.executable, "-m", "flask")


@contextmanager
def run_demo(
    environ: dict[str, str],
    *arguments: str,
    program: Sequence[str] = THIS_FLASK,
    folder: Path = PROJECT_DIR,
) -> Iterator[subprocess.Popen[str]]:
    """Run the demo as the leader of a process group, as a shell would."""
    with subprocess.Popen(
        [*program, "demo", *arguments],
        cwd=folder,
        env=clean_environ() | environ,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as demo:
        try:
            yield demo
        finally:
            if demo.poll() is None:
                demo.terminate()  # it ends its server, which has a process group of its own


def read_until(demo: subprocess.Popen[str], word: str) -> str:
    """Return what is printed up to the line with `word`, or to the end."""
    told = ""
    for line in demo.stdout:
        told += line
        if word in line:
            break
    return told
