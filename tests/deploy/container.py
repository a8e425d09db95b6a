"""What deploy/Containerfile makes of this repository, run as a container would run it.

There is no container runtime: the files are copied as the Containerfile and .dockerignore say, and
bubblewrap gives the processes a root folder of which they can write nothing but /tmp, /dev/shm and
the volume, and no capabilities.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from docker.utils import exclude_paths
from dockerfile_parse import DockerfileParser
from support.servers import PROJECT_DIR, Server, Unavailable, find_free_port, wait_until

CONTAINERFILE = PROJECT_DIR / "deploy/Containerfile"
HOME = "/srv/embed"
MEMORY = ("/dev/shm", "/tmp", "/srv")  # noqa: S108 - those of the container


@dataclass(frozen=True)
class Step:
    word: str
    value: str

    @property
    def command(self) -> list[str]:
        """Return the words of an exec form, which is JSON."""
        return [str(word) for word in json.loads(self.value[self.value.index("[") :])]


def read_steps() -> list[Step]:
    """Return the instructions of the last stage."""
    parser = DockerfileParser(fileobj=BytesIO(CONTAINERFILE.read_bytes()))
    steps = [Step(one["instruction"], one["value"]) for one in parser.structure]
    begins = max(number for number, step in enumerate(steps) if step.word == "FROM")
    return [step for step in steps[begins:] if step.word != "COMMENT"]


def find_step(word: str) -> Step:
    (step,) = (step for step in read_steps() if step.word == word)
    return step


def list_copied(folder: Path = PROJECT_DIR) -> set[str]:
    """Return the files that the build gets from a copy of the repository, relative to it."""
    patterns = [
        line
        for line in (PROJECT_DIR / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    # Docker itself reads .dockerignore, and leaves it out of the image.
    sent = exclude_paths(str(folder), patterns) - {".dockerignore"}
    return {path for path in sent if (folder / path).is_file()}


class Container:
    """An image that was built in `folder`, with its volume."""

    def __init__(self, folder: Path) -> None:
        self._image, self.volume = folder / "image", folder / "instance"
        for path in list_copied():
            (self._image / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT_DIR / path, self._image / path)
        (run,) = (step.value for step in read_steps() if step.word == "RUN")
        for command in map(shlex.split, run.split("&&")):
            if command[0] in ("chmod", "python"):
                program = sys.executable if command[0] == "python" else command[0]
                subprocess.run([program, *command[1:]], cwd=self._image, check=True)
        (self._image / "instance").mkdir()
        self.volume.mkdir(mode=0o700)

    def wrap(self, command: Sequence[str], environ: dict[str, str]) -> list[str]:
        """Return the command line that runs a command in the container."""
        if shutil.which("bwrap") is None:
            raise Unavailable("apt-get install bubblewrap runs what a container would")
        given = {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "PYTHONUNBUFFERED": "1"} | environ
        variables = [word for item in given.items() for word in ("--setenv", *item)]
        return [
            *("bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
            *(word for path in MEMORY for word in ("--tmpfs", path)),
            *("--ro-bind", sys.prefix, sys.prefix, "--ro-bind", str(self._image), HOME),
            *("--bind", str(self.volume), f"{HOME}/instance", "--remount-ro", "/srv"),
            *("--cap-drop", "ALL", "--clearenv", *variables, "--chdir", HOME),
            *("--die-with-parent", *command),
        ]

    def run(
        self, *command: str, environ: dict[str, str], check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, as `docker exec` would."""
        return subprocess.run(
            self.wrap(command, environ), check=check, capture_output=True, text=True
        )

    def run_flask(
        self, *arguments: str, environ: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return self.run("flask", *arguments, environ=environ)

    def is_healthy(self, port: int) -> bool:
        """Run the health check of the Containerfile."""
        check = [word.replace(":8000", f":{port}") for word in find_step("HEALTHCHECK").command]
        return self.run(*check, environ={}, check=False).returncode == 0

    @contextmanager
    def serve(self, environ: dict[str, str]) -> Iterator["Service"]:
        """Run the command of the Containerfile, on a port that is free here."""
        port = find_free_port()
        command = [
            word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in find_step("CMD").command
        ]
        service = Service(self.wrap(command, environ), port)
        try:
            wait_until(lambda: self.is_healthy(port), service.server.process)
            yield service
        finally:
            service.stop()


class Service:
    """A container that serves."""

    def __init__(self, command: list[str], port: int) -> None:
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        reader, writer = os.pipe()
        self.server = Server(
            [command[0], "--info-fd", str(writer), *command[1:]], pass_fds=[writer]
        )
        os.close(writer)
        with os.fdopen(reader) as told:
            self._pid = int(json.load(told)["child-pid"])

    def stop(self) -> int:
        """Ask gunicorn to end, as `docker stop` does; return its status."""
        if self.server.process.poll() is None:
            self.server.end(lambda: os.kill(self._pid, signal.SIGTERM))
        return int(self.server.process.returncode)
