"""flask export and flask import, as an operator uses them."""

import hashlib
import json
import re
import stat
import subprocess
import sys

import pytest
from support.remote import make_environ, run_here
from support.servers import PROJECT_DIR, clean_environ
from support.world import Visitor

from embed.db.connection import db
from embed.db.models import Page
from embed.notifications import receivers
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow


@pytest.fixture
def run(world):
    """Run a command in this process."""
    runner = world.app.test_cli_runner()
    return lambda *arguments, **more: runner.invoke(args=arguments, **more)


def refuse(done) -> str:
    assert done.exit_code in (1, 2), done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line.removeprefix("Error: ")


def test_page_goes_to_another_installation_by_a_file_that_only_its_user_reads(
    world, run, tmp_path, make_sqlite
):
    world.track(Visitor().address, alias="Whale", balance="5")
    settings = world.app.extensions[EXTENSION].settings
    receivers.add_webhook(
        world.page_id, "https://example.com/hook", settings=settings, now=world.clock()
    )
    file = tmp_path / "page.jsonl"

    done = run("export", world.page_id, str(file))

    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"Exported {world.page_id}: key 2, wallet 1, activity ")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    db.close()
    environ = make_environ(make_sqlite())
    imported = run_here("import", str(file), environ=environ)
    assert imported.exit_code == 0, imported.stderr
    first, second = imported.stdout.splitlines()
    assert first.startswith(f"Imported {world.page_id} for owner@localhost: key 2, wallet 1, ")
    assert second == (
        "owner@localhost is new here: flask owners reset owner@localhost prints a link to sign in."
    )
    shown = run_here("wallets", "list", world.page_id, "--json", environ=environ)
    assert [one["publicAlias"] for one in json.loads(shown.stdout)] == ["Whale"]


def test_samples_in_the_docs_are_what_the_command_writes(world, run):
    header, *_, trailer = run("export", world.page_id, "-").stdout.splitlines()
    text = (PROJECT_DIR / "docs/backups.md").read_text()
    first, last = re.findall(r"^   ({\"type\":.*})$", text, re.MULTILINE)

    assert first == header
    assert last == trailer.replace(json.loads(trailer)["sha256"], "…")


def test_json_tells_the_same(world, run, tmp_path, make_sqlite):
    file = tmp_path / "page.jsonl"
    exported = json.loads(run("export", world.page_id, str(file), "--json").stdout)
    db.close()

    imported = run_here("import", str(file), "--json", environ=make_environ(make_sqlite()))

    assert exported["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (exported["id"], exported["file"]) == (world.page_id, str(file))
    assert json.loads(imported.stdout) == {
        "id": world.page_id,
        "owner": "owner@localhost",
        "ownerCreated": True,
        "records": exported["records"],
    }


def test_messages_that_wait_are_told_of(world, run, tmp_path):
    settings = world.app.extensions[EXTENSION].settings
    receivers.add_webhook(
        world.page_id, "https://example.com/hook", settings=settings, now=world.clock()
    )
    world.submit(Visitor())

    done = run("export", world.page_id, str(tmp_path / "page.jsonl"))

    assert done.stdout.splitlines()[1] == (
        "Not in the file: messages that still wait for a webhook or channel (1). This installation"
        " sends them."
    )


def test_pipe_leads_from_one_installation_to_another(database_url, make_sqlite):
    source, target = make_environ(database_url), make_environ(make_sqlite())
    created = run_here(
        "pages", "create", "--token-name", "Coin", "--token-symbol", "C", "--token-mint",
        "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "--json", environ=source,
    )  # fmt: skip
    page_id = json.loads(created.stdout)["id"]
    flask = [sys.executable, "-m", "flask"]
    how = {"cwd": PROJECT_DIR, "stdout": subprocess.PIPE}

    with subprocess.Popen(
        [*flask, "export", page_id, "-"],
        env=clean_environ() | source,
        stderr=subprocess.PIPE,
        **how,
    ) as export:
        imported = subprocess.run(
            [*flask, "import", "-", "--json"],
            env=clean_environ() | target,
            stdin=export.stdout,
            check=True,
            timeout=240,
            **how,
        )
        assert export.stderr.read().startswith(f"Exported {page_id}: ".encode())

    assert json.loads(imported.stdout)["id"] == page_id


def test_file_that_exists_is_not_replaced(world, run, tmp_path):
    file = tmp_path / "embed.db"
    file.write_text("something of worth")

    assert "exists already" in refuse(run("export", world.page_id, str(file)))
    assert file.read_text() == "something of worth"


def test_nothing_is_left_of_an_export_that_fails(world, run, tmp_path):
    file = tmp_path / "page.jsonl"

    assert refuse(run("export", "0" * 20, str(file))).startswith("There is no tracking page")
    assert list(tmp_path.iterdir()) == []
    assert "No such file" in refuse(run("export", world.page_id, str(tmp_path / "no" / "file")))


def test_refusal_is_one_line(world, run, tmp_path):
    missing, garbage = tmp_path / "missing", tmp_path / "garbage"
    garbage.write_bytes(b"\x1b[31m\n" * 3)
    file = tmp_path / "page.jsonl"
    run("export", world.page_id, str(file))

    assert "does not exist" in refuse(run("import", str(missing)))
    assert refuse(run("import", str(garbage))).startswith("Line 1: this is not a page's file")
    assert "flask pages purge" in refuse(run("import", str(file)))
    assert "is a directory" in refuse(run("import", str(tmp_path)))
    assert refuse(run("import", str(file), "--owner", "x@example.com")).startswith("There is no")
    assert Page.select().count() == 1
