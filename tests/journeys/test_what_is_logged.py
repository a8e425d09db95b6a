"""What a whole run logs: no key, cookie, signature, one-time link or client address."""

import json
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import pytest
import redis
import requests
from everything_logged import CLIENTS, SETTINGS_SECRETS, Run, find_leaks
from support.remote import RemotePage, make_environ
from support.servers import PROJECT_DIR, find_free_port, run_flask, run_gunicorn
from support.waiting import LIMIT_S, wait_for

from embed.settings import INSTANCE_DIR

pytestmark = pytest.mark.slow

NETWORKS = ("203.0.113.0/24", "2001:db8:5::/48")
RPC = f"http://127.0.0.1:1/v2/{SETTINGS_SECRETS['RPC path']}?api-key={SETTINGS_SECRETS['RPC key']}"
REDIS_PASSWORD = "redis-password-0010"


def make_run_environ(database_url: str, **variables: str) -> dict[str, str]:
    return make_environ(
        database_url,
        TRUSTED_PROXIES="1",
        SOLANA_RPC_URL=RPC,
        SMTP_URL=f"smtp://user:{SETTINGS_SECRETS['SMTP password']}@127.0.0.1:1",
        ALLOW_PRIVATE_TARGETS="1",
        PYTHONPATH=str(PROJECT_DIR / "tests"),
        **variables,
    )


class Logged:
    def __init__(self, folder: Path) -> None:
        self.errors, self.access = folder / "err", folder / "out"
        self.secrets: dict[str, str] = {}
        self.stored: dict[str, bytes] = {}  # files, while the service ran and after it
        self.counters: dict[str, int] = {}  # in Redis, with the seconds that they are kept
        self.redis_url: str | None = None

    def keep_stored(self, folder: Path, when: str) -> None:
        for file in (*folder.iterdir(), *INSTANCE_DIR.glob("**/*")):
            if file.is_file():
                with suppress(FileNotFoundError):  # SQLite removes its own while others work
                    self.stored[f"{file.name} {when}"] = file.read_bytes()

    def keep_counters(self) -> None:
        if self.redis_url is not None:
            with redis.Redis.from_url(self.redis_url) as client:
                self.counters = {key.decode(): client.ttl(key) for key in client.scan_iter()}

    @property
    def text(self) -> str:
        return self.errors.read_text() + self.access.read_text()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@pytest.fixture(scope="module", params=["text", "json"])
def logged(request, tmp_path_factory, make_sqlite) -> Logged:
    """The output of a run: of one worker with text, of two with Redis and JSON."""
    variables = {"LOG_FORMAT": request.param}
    if request.param == "json":
        socket = request.getfixturevalue("redis_url").removeprefix("redis+unix://")
        variables["RATELIMIT_STORAGE_URI"] = f"redis+unix://:{REDIS_PASSWORD}@{socket}?db=8"
        variables["WEB_CONCURRENCY"] = "2"
    environ = make_run_environ(make_sqlite(), **variables)
    logged = Logged(tmp_path_factory.mktemp("logged"))
    if request.param == "json":
        logged.redis_url = f"unix://{socket}?db=8"  # no other test's
    with logged.errors.open("wb") as errors, logged.access.open("wb") as access:
        how = {"app": "support.failing_app:create()", "stdout": access, "stderr": errors}
        options = ("--log-level=debug", "--access-logfile=-")
        with run_gunicorn(environ, *options, **how) as server:
            database = environ["DATABASE_URL"].removeprefix("sqlite:///")
            run = Run(RemotePage(server.url, environ), logged.errors, database)
            run.keep("Redis password", REDIS_PASSWORD)
            run.keep("SECRET_KEY", environ["SECRET_KEY"])
            run.do_everything()
            logged.keep_stored(Path(database).parent, "meanwhile")
            just_now = {"X-Forwarded-For": CLIENTS[0]}  # a counter that has not ended yet
            requests.get(f"{server.url}/api/x", headers=just_now, timeout=LIMIT_S)
            logged.keep_counters()
    logged.keep_stored(Path(database).parent, "afterwards")
    logged.secrets = run.secrets
    return logged


def test_no_secret_and_no_client_is_logged(logged):
    assert len(logged.secrets) > 30
    assert find_leaks(logged.text, logged.secrets) == []


def test_run_made_every_kind_of_line(logged):
    for said in (
        "Solana RPC",
        "Refused an invalid HTTP request",
        "Unexpected failure of POST",
        "ValueError",
        "A library says",
        "Python warns of",
        "/embed/tracking/<page_id>",
        "/dashboard/password/<token>",
        *NETWORKS,
    ):
        assert said in logged.text, said


def test_every_line_has_the_form_that_was_asked_for(logged):
    for line in logged.lines:
        assert line.isprintable()
        if logged.text.startswith("{"):
            assert {"time", "level", "logger", "processId", "message"} <= set(json.loads(line))
        else:
            assert line.startswith("    ") or line[:2] == "20", line


def test_no_file_and_no_table_holds_an_address_of_a_client(logged):
    names = {name.partition(" ")[0] for name in logged.stored}
    assert "embed.db" in names
    forms = [form for client in CLIENTS for form in list_address_forms(client)]

    found = [name for name, content in logged.stored.items() if any(x in content for x in forms)]

    assert found == []


def list_address_forms(client: str) -> list[bytes]:
    ip = ip_address(client)
    texts = {client, ip.exploded, str(int(ip)), ip.packed.hex(), ip.reverse_pointer}
    return [text.encode() for text in texts]


def test_redis_counts_by_hashed_addresses_no_longer_than_the_limit(logged):
    if logged.redis_url is None:
        assert logged.counters == {}
        return
    # -1 would be for ever; what ended meanwhile has -2.
    assert {key: ttl for key, ttl in logged.counters.items() if ttl == -1 or ttl > 3600} == {}
    by_address = [ttl for key, ttl in logged.counters.items() if "rate_limit_ip/" in key]
    assert by_address
    assert max(by_address) <= 60
    keys = "".join(logged.counters)  # a Redis may save them to disk
    assert not any(part in keys for part in ("203.0.113.77", "2001:db8"))


# A database and a Redis that refuse

PASSWORDS = {"database password": "db-pass word-0001", "Redis password": "redis-password-0002"}


@pytest.fixture
def refused(postgres_url) -> dict[str, str]:
    """Settings of servers that refuse: Postgres knows no such role, and Redis is not there."""
    nobody = "postgresql://nobody:db-pass%20word-0001@"
    closed = f"redis://:{PASSWORDS['Redis password']}@127.0.0.1:{find_free_port()}/0"
    url = postgres_url.format(name="postgres").replace("postgresql://embed@", nobody)
    return make_environ(url, RATELIMIT_STORAGE_URI=closed, LOG_FORMAT="json")


def test_service_without_database_and_redis_says_so_without_passwords(refused, tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as file, run_gunicorn(refused, stderr=file, stdout=file) as server:
        answer = requests.get(
            f"{server.url}/api/embed/tracking/x",
            headers={"Authorization": "Bearer svc_sec_" + "a" * 32},
            timeout=LIMIT_S,
        )
        assert answer.status_code == 503
        request_id = answer.headers["X-Request-Id"]
        wait_for(lambda: request_id in log.read_text(), log.read_text)

    lines = [json.loads(line) for line in log.read_text().splitlines()]
    said = " ".join(one["message"] for one in lines if one.get("requestId") == request_id)
    assert "Rate limit storage unreachable" in said
    assert 'role "nobody" does not exist' in said
    assert find_leaks(log.read_text(), PASSWORDS) == []


def test_command_says_in_one_line_without_a_password_that_the_database_refuses(refused):
    ended = run_flask("pages", "list", environ=refused, check=False)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert 'role "nobody" does not exist' in ended.stderr
    assert find_leaks(ended.stderr + ended.stdout, PASSWORDS) == []
