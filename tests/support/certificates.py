"""Certificates that nobody vouches for."""

import shutil
import subprocess
from pathlib import Path

from support.absence import skip_or_fail


def make_certificate(path: Path, *, days: int = 30) -> Path:
    """Write a certificate for localhost and its key into one file; return its path."""
    if not shutil.which("openssl"):
        skip_or_fail("openssl makes the certificate")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=x"
        " -addext subjectAltName=DNS:localhost"
    )
    command += f" -days {days}"
    both = ["-keyout", path, "-out", path]
    subprocess.run([*command.split(), *both], check=True, capture_output=True)
    return path
