"""What loads a server: wrk with one request again and again, or clients of ours with any work."""

import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.visitors import Client, WrongAnswer, check

CONNECTIONS = 16  # of reads
CLIENTS = 8  # for other work
SCRIPT = Path(__file__).with_name("check.lua")
HAS_WRK = shutil.which("wrk") is not None

Work = Callable[[Client], object]  # one unit of what is counted; raises WrongAnswer
Load = Callable[[float], int]  # for so many seconds; returns how many units were done


@dataclass(frozen=True)
class Request:
    """A GET request, and what has to come back every time."""

    path: str
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200

    def learn(self, port: int) -> bytes:
        """Return the body that every later answer must have. Raises WrongAnswer."""
        client = Client(port)
        try:
            return check(client.send("GET", self.path, self.headers), self.status).content
        finally:
            client.close()


def load_with(request: Request, port: int) -> Load:
    """Return what sends the request over CONNECTIONS at once, by wrk where it is installed.

    Clients of ours take up time that the servers miss, which bends rates, and CPU a little.
    """
    expected = request.learn(port)

    def ask(client: Client) -> None:
        answer = check(client.send("GET", request.path, request.headers), request.status)
        if answer.content != expected:
            raise WrongAnswer(f"{request.path} answered {answer.content[:200]!r}")

    def load(seconds: float) -> int:
        if HAS_WRK:
            return _run_wrk(request, port, expected, seconds)
        return do_for(seconds, ask, port, CONNECTIONS)

    return load


def _run_wrk(request: Request, port: int, expected: bytes, seconds: float) -> int:
    with tempfile.NamedTemporaryFile() as body_file:
        body_file.write(expected)
        body_file.flush()
        ended = subprocess.run(
            [
                "wrk",
                "--threads=1",
                "--timeout=30s",
                f"--connections={CONNECTIONS}",
                f"--duration={round(seconds)}s",
                f"--script={SCRIPT}",
                *(f"--header={name}: {value}" for name, value in request.headers.items()),
                f"http://127.0.0.1:{port}{request.path}",
                "--",
                body_file.name,
                str(request.status),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
    counts = json.loads(ended.stdout.splitlines()[-1])
    if counts["bad"] or not counts["answers"]:
        raise WrongAnswer(f"{counts['bad']} of {counts['answers']} to {request.path} were wrong")
    return int(counts["answers"])


def load_by_clients(work: Work, port: int) -> Load:
    """Return what does a work again and again, by CLIENTS clients of ours."""
    return lambda seconds: do_for(seconds, work, port, CLIENTS)


def do_for(seconds: float, work: Work, port: int, connections: int) -> int:
    """Do a work again and again, over several connections at once; return how often."""
    ends_at = time.monotonic() + seconds

    def repeat() -> Iterator[Work]:
        while time.monotonic() < ends_at:
            yield work

    return do_all(repeat(), port, connections)


def do_all(works: Iterable[Work], port: int, connections: int) -> int:
    """Do every work once, over several connections at once; return how many there were."""
    waiting, taking = iter(works), threading.Lock()
    done = [0] * connections
    failures: list[Exception] = []

    def take() -> Work | None:
        with taking:
            return None if failures else next(waiting, None)

    def run(number: int) -> None:
        client = Client(port)
        try:
            while (work := take()) is not None:
                work(client)
                done[number] += 1
        except Exception as failure:  # raised by the thread that measures
            failures.append(failure)
        finally:
            client.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(done)
