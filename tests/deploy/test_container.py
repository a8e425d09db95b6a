"""deploy/Containerfile: what it copies, and that it serves where it may write almost nothing."""

import subprocess

import pytest
from container import CONTAINERFILE, Container, find_step, list_copied, read_steps
from support.absence import skip_or_fail
from support.remote import RemotePage, make_environ
from support.servers import Unavailable
from support.world import SITE, Visitor

from embed.settings import PROJECT_DIR
from embed.web.api.endpoints import OPENAPI_FILE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def container(tmp_path_factory) -> Container:
    return Container(tmp_path_factory.mktemp("container"))


@pytest.fixture(scope="module")
def environ() -> dict[str, str]:
    environ = make_environ("sqlite:///instance/embed.db", PUBLIC_URL="http://embed.example")
    del environ["SECRET_KEY"]  # made by the service
    return environ


@pytest.fixture(scope="module")
def service(container, environ):
    try:
        with container.serve(environ) as service:
            yield service
    except Unavailable as why:
        skip_or_fail(str(why))


def test_containerfile_passes_its_linter():
    done = subprocess.run(["hadolint", CONTAINERFILE], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "")


def test_image_has_what_the_service_reads_and_nothing_else():
    copied = list_copied()

    assert {path.partition("/")[0] for path in copied} == {
        *("app.py", "gunicorn.conf.py", "requirements-build.lock", "requirements.lock"),
        *("docs", "embed", "static", "templates", "translations"),
    }
    assert {"embed/factory.py", "static/widget/main.js", "docs/pictures/proof.png"} <= copied
    assert OPENAPI_FILE.relative_to(PROJECT_DIR).as_posix() in copied
    assert "docs/take_pictures.py" not in copied


@pytest.mark.parametrize(
    "path",
    [
        *("instance/secret_key", "instance/embed.db", ".env", "deploy/.env", ".git/config"),
        *("embed/__pycache__/factory.cpython-313.pyc", "tests/world.py", ".venv/bin/python"),
    ],
)
def test_image_never_has(path, tmp_path):
    for one in (path, "app.py", "embed/factory.py"):
        (tmp_path / one).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / one).touch()

    assert list_copied(tmp_path) == {"app.py", "embed/factory.py"}


def test_last_stage_has_no_tools_no_secrets_and_no_shell_around_its_command():
    words = [step.word for step in read_steps()]
    first = read_steps()[0].value

    assert first.endswith("-slim")
    assert "ARG" not in words
    assert "KEY" not in find_step("ENV").value
    assert find_step("CMD").command[0] == "gunicorn"
    assert find_step("USER").value == "10001:10001"


def test_visitor_is_served_from_a_root_folder_that_nobody_may_write(container, environ, service):
    page = RemotePage(service.url, environ, run=container.run_flask)
    page_host = {"Host": "embed.example"}
    visitor = Visitor()

    nonce = page.ask_nonce(visitor, headers=page_host).json
    answer = page.post(page.draft(visitor, nonce=nonce), headers=page_host)

    assert answer.status_code == 201
    (submitted,) = page.list_submissions()
    assert submitted["walletAddress"] == visitor.address
    opened = page.send(
        "GET", f"/embed/tracking/{page.page_id}?key={page.public_key}", headers=page_host
    )
    assert (opened.status_code, SITE in opened.headers["Content-Security-Policy"]) == (200, True)


def test_everything_that_is_kept_is_in_the_volume(container, service):
    assert {"embed.db", "secret_key"} <= {path.name for path in container.volume.iterdir()}


def test_health_check_says_whether_it_serves_and_it_ends_as_it_is_asked_to(
    container, environ, tmp_path
):
    with container.serve(environ) as service:
        assert container.is_healthy(service.port)

        assert service.stop() == 0

        assert not container.is_healthy(service.port)
