"""The first requests and programs of docs/api.md do what it says, on a service as it is started."""

import os
import re
import subprocess
import sys

import pytest
from support.remote import RemotePage, make_environ
from support.servers import PROJECT_DIR, run_gunicorn

pytestmark = pytest.mark.slow

TEXT = (PROJECT_DIR / "docs/api.md").read_text(encoding="utf-8")
START, _, _REST = TEXT.partition("\n## Endpoints\n")
RECORDS = _REST.partition("\n## See and withdraw")[2].partition("\n## ")[0]


def read_code(language: str, text: str) -> str:
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return code


@pytest.fixture
def environ(database_url):
    environ = make_environ(database_url)
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        secret_key = page.make_key("--tier", "secret")["key"]
        yield os.environ | {"BASE": server.url, "PAGE": page.page_id, "KEY": secret_key}


def test_every_request_of_the_start_is_answered(environ):
    calls = [line for line in read_code("sh", START).splitlines() if line.startswith("curl")]

    assert len(calls) == 3
    for call in calls:
        command = call.replace("curl", "curl --silent --fail", 1)
        subprocess.run(["sh", "-c", command], env=environ, check=True, stdout=subprocess.DEVNULL)


def test_program_submits_a_wallet_and_then_withdraws_it(environ):
    program = read_code("python", START) + read_code("python", RECORDS)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, check=True, capture_output=True, text=True
    )

    submitted, shown, withdrawn = done.stdout.splitlines()
    assert "'status': 'pending'" in submitted
    assert "'nickname': 'Ada'" in shown
    assert withdrawn == "{'withdrawnSubmissions': 1, 'leftList': False, 'staysListed': False}"
