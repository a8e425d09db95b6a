"""Schemathesis drives the running service by the document that it serves.

It asks for nonces, has their messages signed (signing_hooks.py) and sends the submissions; each
answer is compared with the document.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from support.remote import RemotePage, make_environ
from support.servers import PROJECT_DIR, run_gunicorn
from support.world import SITE, Visitor

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
LIMIT_S = 300
DOCUMENT = "/api/embed/openapi.json"


@pytest.fixture(scope="module")
def page(shared_database_url) -> Iterator[RemotePage]:
    """A page with a tagged wallet, so that reading it returns one of everything."""
    environ = make_environ(shared_database_url)
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        page.command("tags", "add", page.page_id, "team", "blue")
        page.command("wallets", "add", page.page_id, Visitor().address, "--tag", "team")
        yield page


@dataclass
class Run:
    """What Schemathesis printed, and the answers that it got."""

    status: int
    output: str
    answers: list[dict[str, Any]]

    def count(self, **wanted: object) -> int:
        return sum(wanted.items() <= answer.items() for answer in self.answers)


def run_schemathesis(page: RemotePage, folder: Path, document: str | Path, *options: str) -> Run:
    visitor = Visitor()
    page.open_widget(visitor)
    answers = folder / "answers"
    answers.touch()
    variables = {
        "HOOKS": str(HERE / "signing_hooks.py"),
        "ANSWERS": str(answers),
        "PAGE": page.page_id,
        "KEY": page.public_key,
        "ORIGIN": SITE,
        "SESSION": str(visitor.cookie),
        "PYTHONPATH": os.pathsep.join(map(str, (PROJECT_DIR, PROJECT_DIR / "tests"))),
    }
    options = ("--config-file", HERE / "schemathesis.toml", "run", document, "--no-color", *options)
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", *options],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    seen = [json.loads(line) for line in answers.read_text().splitlines()]
    return Run(done.returncode, done.stdout + done.stderr, seen)


def test_running_service_keeps_the_contract(page, tmp_path):
    run = run_schemathesis(page, tmp_path, page.server_url + DOCUMENT)

    assert run.status == 0, run.output
    # That it got to the end of the way, and did not only meet refusals:
    succeeded = {answer["operation"] for answer in run.answers if answer["status"] < 300}
    assert len(succeeded) == 15
    assert run.count(phase="stateful", operation="createSubmission", status=201) > 0, run.answers
    listed = [one["submissions"] for one in run.answers if one["phase"] == "stateful"]
    assert max(listed) > 0


def test_run_fails_where_the_document_says_something_else(page, tmp_path):
    document = requests.get(page.server_url + DOCUMENT, timeout=LIMIT_S).json()
    responses = document["paths"]["/siws/nonce"]["post"]["responses"]
    responses["200"]["content"] = {"application/json": {"schema": {"required": ["id"]}}}
    (tmp_path / "false.json").write_text(json.dumps(document))

    run = run_schemathesis(
        page,
        tmp_path,
        tmp_path / "false.json",
        *("--url", f"{page.server_url}/api/embed", "--phases", "examples"),
        *("--include-operation-id", "createNonce"),
    )

    assert run.status == 1, run.output
    assert run.count(operation="createNonce", status=200) == 1
