"""A database of version 0.7.0, with rows in each of its tables.

v0.7.0.sql has the statements with which that version made its tables in Postgres. Those for SQLite
differ only in types.
"""

import re
from pathlib import Path

from peewee import SqliteDatabase

from embed.db import folded
from embed.db.connection import db

COMMIT = "b06d70c8"
NEWER_TABLES = ("logo",)
NEWER_COLUMNS = (folded.COLUMN, "is_outweighed")
_WITHOUT_COPY = "CASE WHEN form = 'raw' THEN '' ELSE signed_bytes END"  # of the message
MIGRATIONS = ["0001_initial", "0002_from_0_6_0"]
MIGRATIONS_OF_0_6_0 = """
    0001_initial 0002_dashboard 0003_exact_amounts 0004_one_preview_key
    0005_chain_and_notifications 0006_proofs 0007_key_labels 0008_wallet_submission 0009_log_as_data
    0010_imported_balances 0011_reasons 0012_look 0013_supply 0014_refusals 0015_people
    0016_sessions 0017_account_events 0018_ways_in 0019_members_receivers 0020_deciding_receivers
    0021_domain_names 0022_public_by_link 0023_deny_list
""".split()  # noqa: SIM905 -- easier to read without quotes around each word

PAGE_ID = "page".ljust(20, "0")
KEY = f"svc_pub_{'k' * 32}"

_STATEMENTS = Path(__file__).with_name("v0.7.0.sql").read_text()
_OF_SQLITE = {
    r"\b(BIG)?SERIAL\b|\bBIGINT\b|\bBOOLEAN\b": "INTEGER",
    r"\bBYTEA\b": "BLOB",
    r"\bTIMESTAMP\b": "DATETIME",
    r"'\\x([0-9a-f]+)'": r"x'\1'",
}


def make() -> None:
    """Create the tables and rows in the database of the models, which is empty."""
    statements = _STATEMENTS
    if isinstance(db.obj, SqliteDatabase):
        for pattern, replacement in _OF_SQLITE.items():
            statements = re.sub(pattern, replacement, statements)
    with db.atomic():
        for statement in statements.split(";\n"):
            if statement.strip():
                db.execute_sql(statement)
        record(MIGRATIONS)


def record(migrations: list[str]) -> None:
    """Let the database have these migrations instead, as one of another version does."""
    db.execute_sql("DELETE FROM schema_migration")
    values = ", ".join(f"('{name}', '2026-11-28 00:00:00')" for name in migrations)
    db.execute_sql(f"INSERT INTO schema_migration (name, applied) VALUES {values}")  # noqa: S608 -- names of ours


def dump() -> dict[str, list[str]]:
    """Return all rows as the database stores them, by table: what that version had."""
    tables = set(db.get_tables()) - {"schema_migration", *NEWER_TABLES}
    return {table: sorted(map(repr, _read(table))) for table in tables}


def _read(table: str) -> list[tuple]:
    names = [each.name for each in db.get_columns(table) if each.name not in NEWER_COLUMNS]
    columns = (_WITHOUT_COPY if name == "signed_bytes" else f'"{name}"' for name in names)
    rows = db.execute_sql(f'SELECT {", ".join(columns)} FROM "{table}"').fetchall()  # noqa: S608 -- the database's names
    return [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in rows]
