"""gunicorn's log and access log."""

import json
import logging
import os
import subprocess
import sys
from datetime import timedelta
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from support.servers import PROJECT_DIR, clean_environ
from support.world import SECRET_KEY

from embed.logs.context import PAGE_ID, ROUTE
from embed.server.logger import Logger

PAGE = "Ab1" + "x" * 17


@pytest.fixture
def make_logger(monkeypatch):
    """Make gunicorn's logger for some of its options; what it changes is restored."""
    monkeypatch.setenv("SECRET_KEY", SECRET_KEY)
    monkeypatch.setenv("LOG_FORMAT", "json")
    monkeypatch.setattr("embed.server.logger.log_everything_to", lambda *_: None)
    logs = [logging.getLogger(name) for name in ("gunicorn.error", "gunicorn.access")]

    def make(**options: object) -> Logger:
        config = Config()
        for name, value in options.items():
            config.set(name, value)
        return Logger(config)

    yield make
    for log in logs:
        for handler in log.handlers[:]:
            log.removeHandler(handler)
            handler.close()


@pytest.fixture
def ask(make_logger, tmp_path):
    """Return what the access log has of a request: ``ask(REMOTE_ADDR="...")``."""
    path = tmp_path / "access.log"
    logger = make_logger(accesslog=str(path))

    def log(status="200 OK", **environ: object) -> dict | None:
        answer = SimpleNamespace(status=status, sent=1234, headers=[])
        given = {"REQUEST_METHOD": "GET", "PATH_INFO": "/x", "REMOTE_ADDR": "198.51.100.77"}
        logger.access(answer, None, given | environ, timedelta(milliseconds=12.34))
        text = path.read_text()
        return json.loads(text.splitlines()[-1]) if text else None

    return log


def test_line_of_a_request_has_its_route_and_the_clients_network(ask):
    line = ask(**{ROUTE: "/embed/tracking/<page_id>", PAGE_ID: PAGE, "QUERY_STRING": "key=secret"})

    assert line["message"] == (
        f"GET /embed/tracking/<page_id> 200, 1234 bytes, 12.3 ms, 198.51.100.0/24, {PAGE}"
    )
    fields = {
        "method": "GET",
        "route": "/embed/tracking/<page_id>",
        "pageId": PAGE,
        "status": 200,
        "bytes": 1234,
        "durationMs": 12.3,
        "client": "198.51.100.0/24",
    }
    assert {name: line[name] for name in fields} == fields


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("[2001:db8:1:2:3::4]:4711", "2001:db8:1::/48"),
        ("::ffff:198.51.100.77", "198.51.100.0/24"),
        ("198.51.100.77:4711", "198.51.100.0/24"),
        ("unix:", None),
        ("someone\n", None),
    ],
)
def test_client_is_named_by_its_network(ask, address, network):
    assert ask(REMOTE_ADDR=address)["client"] == network


def test_method_that_is_none_is_left_out(ask):
    assert ask(REQUEST_METHOD="svc_pub_x")["method"] is None


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_checks_are_not_logged(ask, path):
    assert ask("503 SERVICE UNAVAILABLE", PATH_INFO=path) is None


def test_file_takes_every_character_and_is_opened_again(make_logger, tmp_path):
    path = tmp_path / "error.log"
    logger = make_logger(errorlog=str(path))
    logger.warning("gr\u00f6\u00dfer \u2713")
    path.rename(tmp_path / "old.log")
    logger.reopen_files()
    logger.warning("second")

    assert json.loads((tmp_path / "old.log").read_text())["message"] == "größer ✓"
    assert json.loads(path.read_text())["message"] == "second"


ENDS = {
    "main": "raise ValueError('Bearer swordfish')",
    "thread": (
        "import threading\n"
        "thread = threading.Thread(target=int, args=['swordfish=password=swordfish'])\n"
        "thread.start(); thread.join()"
    ),
    "warning": "import warnings; warnings.warn('password=swordfish')",
    "library": "import logging; logging.getLogger('a.library').warning('password=%s', 'swordfish')",
}


@pytest.mark.parametrize(("how", "form"), [*((how, "json") for how in ENDS), ("main", "text")])
def test_what_nobody_catches_is_logged_in_the_same_form(how, form):
    program = f"from embed.logs.lines import set_up_logs\nset_up_logs({form!r}, ['swordfish'])\n"

    ended = subprocess.run(
        [sys.executable, "-c", program + ENDS[how]],
        cwd=PROJECT_DIR,
        env=clean_environ() | {"LC_ALL": "C", "PYTHONUTF8": "0", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stderr
    assert "swordfish" not in ended.stderr
    first, *rest = ended.stderr.splitlines()
    if form == "json":
        assert rest == []
        assert json.loads(first)["level"] in ("CRITICAL", "WARNING")
    else:
        assert first.startswith("20")
        assert all(line.startswith("    ") for line in rest)
