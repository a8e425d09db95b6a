"""Scripts made of npm packages, for the browser."""

import os
import subprocess
from pathlib import Path

from support.absence import skip_or_fail
from support.servers import PROJECT_DIR

MODULES = PROJECT_DIR / "node_modules"
ESBUILD = MODULES / ".bin" / "esbuild"


def bundle(source: Path, *options: str) -> str:
    """Return a file, with what it imports, as one script; skip without esbuild, except in CI."""
    if not ESBUILD.exists():
        skip_or_fail("npm ci brings esbuild")
    command = (ESBUILD, source, "--bundle", "--format=iife", "--log-level=error", *options)
    environ = os.environ | {"NODE_PATH": str(MODULES)}
    built = subprocess.run(command, cwd=PROJECT_DIR, env=environ, check=True, capture_output=True)
    return built.stdout.decode()
