"""Entries of the log are data in place of sentences; they and messages have the address meant."""

from collections.abc import Callable, Iterator
from typing import Any

from playhouse.migrate import SchemaMigrator

from embed.domain.activity import find_address, parse_old_subject, read_facts, write_subject

_BATCH = 1000

LOST = "the facts of the log's entries, of which the sentences stay"


def up(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('ALTER TABLE "activity" RENAME COLUMN "subject" TO "data"')
    for table in ("activity", "message"):
        db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN "address" VARCHAR(44)')
        db.execute_sql(
            f'CREATE INDEX "{table}_page_id_address" ON "{table}" ("page_id", "address")'
        )
    _rewrite(db, "activity", "action", _parse_entry)
    _rewrite(db, "message", "type", _find_address)


def _parse_entry(action: str, subject: str) -> dict[str, str | None]:
    data = parse_old_subject(action, subject)
    return {"data": data, "address": find_address(read_facts(data))}


def _find_address(_: str, data: str) -> dict[str, str | None]:
    try:
        return {"address": find_address(read_facts(data))}
    except (ValueError, RecursionError):  # from a forged file; such a message will not be sent
        return {"address": None}


def down(_: SchemaMigrator, db: Any) -> None:
    _rewrite(db, "activity", "action", _write_sentence)
    for table in ("activity", "message"):
        db.execute_sql(f'DROP INDEX "{table}_page_id_address"')
        db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN "address"')
    db.execute_sql('ALTER TABLE "activity" RENAME COLUMN "data" TO "subject"')


def _write_sentence(action: str, data: str) -> dict[str, str | None]:
    return {"data": write_subject(action, read_facts(data))}


def _rewrite(
    db: Any, table: str, tag: str, convert: Callable[[str, str], dict[str, str | None]]
) -> None:
    """Give rows the columns that `convert` makes of their tag and data."""
    for rows in _read_in_batches(db, table, tag):
        converted = [(convert(kind, data), row_id) for row_id, kind, data in rows]
        columns = ", ".join(f'"{name}" = {db.param}' for name in converted[0][0])
        db.connection().cursor().executemany(
            f'UPDATE "{table}" SET {columns} WHERE "id" = {db.param}',  # noqa: S608 -- names of ours
            [(*values.values(), row_id) for values, row_id in converted],
        )


def _read_in_batches(db: Any, table: str, tag: str) -> Iterator[list[tuple[str, str, str]]]:
    query = f'SELECT "id", "{tag}", "data" FROM "{table}" WHERE "id" > {db.param} ORDER BY "id"'  # noqa: S608 -- names of ours
    last = ""
    while rows := db.execute_sql(f"{query} LIMIT {_BATCH}", (last,)).fetchall():
        yield rows
        last = rows[-1][0]
