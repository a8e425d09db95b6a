"""What a database enforces, as it says itself."""

import re

from peewee import SqliteDatabase

from embed.db.connection import db
from embed.db.models import MODELS


def describe_schema() -> list[tuple]:
    """Return every table, column, index and constraint as the database itself describes it."""
    names = sorted(model._meta.table_name for model in MODELS)
    if isinstance(db.obj, SqliteDatabase):
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
        return [row for row in db.execute_sql(query) if row[2] in names]
    columns = (
        "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable,"
        " column_default FROM information_schema.columns WHERE table_schema = 'public'"
    )
    constraints = (
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace"
    )
    indexes = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
    rows = [row for query in (columns, constraints, indexes) for row in db.execute_sql(query)]
    # The text of a rule that was read back has other casts and parentheses.
    plain = [tuple(re.sub(r"::[a-z ]+(\[\])?|[()]", "", str(one)) for one in row) for row in rows]
    return sorted((row for row in plain if row[0] in names), key=repr)
