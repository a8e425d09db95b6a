"""Postgres drops connections or lets nobody write; garbage takes the place of SQLite's file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.owner_browser import OwnerBrowser
from support.postgres import Cursor, open_cursor
from support.world import Visitor

from embed.db.connection import db

on_postgres = pytest.mark.databases("postgres")


class Operator:
    """Whoever runs the Postgres of the service."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._name = cursor.connection.info.dbname

    def drop_connections(self) -> None:
        self._cursor.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = %s AND pid <> pg_backend_pid()",
            (self._name,),
        )

    def fail_over(self, *, to_standby: bool) -> None:
        """Let only new connections be as of a standby; those that are open stay as they are."""
        self._cursor.execute(
            f"ALTER DATABASE {self._name} SET default_transaction_read_only = {to_standby}"
        )


@pytest.fixture
def operator(emptied_database_url) -> Iterator[Operator]:
    with open_cursor(emptied_database_url, autocommit=True) as cursor:
        cursor.execute("SET default_transaction_read_only = off")
        operator = Operator(cursor)
        yield operator
        operator.fail_over(to_standby=False)
        operator.drop_connections()


@on_postgres
def test_nobody_notices_that_the_server_dropped_idle_connections(world, operator):
    owner, draft = OwnerBrowser(world), world.draft(Visitor())
    for send in (world.read, lambda: world.post(draft), lambda: owner.get("/dashboard/account")):
        operator.drop_connections()

        assert send().status_code in (200, 201)


@on_postgres
def test_read_only_server_gives_503_to_writes_until_another_one_answers(world, operator):
    owner, draft, path = OwnerBrowser(world), world.draft(Visitor()), "/dashboard/account"
    operator.fail_over(to_standby=True)
    operator.drop_connections()

    assert (world.read().status_code, owner.get(path).status_code) == (200, 200)
    refusal = world.post(draft)
    assert (refusal.status_code, refusal.json) == (503, {"error": "unavailable"})
    assert int(refusal.headers["Retry-After"]) > 0
    assert owner.post(f"{path}/language", language="de").status_code == 503

    assert world.read().status_code == 200  # over a connection to the standby
    operator.fail_over(to_standby=False)
    assert world.post(draft).status_code == 503
    assert world.post(draft).status_code == 201


def overwrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def replace_by_another(path: Path, content: bytes) -> None:
    path.with_suffix(".new").write_bytes(content)
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize("put", [overwrite, replace_by_another])
@pytest.mark.parametrize("kept", [0, 4096], ids=["nothing", "page"])
def test_garbage_in_place_of_the_file_gives_503_until_it_is_back(world, put, kept):
    draft, path = world.draft(Visitor()), db.obj.path
    owner = OwnerBrowser(world)
    db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    saved = path.read_bytes()

    put(path, saved[:kept] + b"garbage " * (len(saved) // 8))

    for send in (world.read, lambda: world.post(draft), lambda: owner.get("/dashboard/account")):
        refusal = send()
        assert refusal.status_code == 503
        assert int(refusal.headers["Retry-After"]) > 0
    put(path, saved)
    assert world.read().status_code == 200
