"""Statements whose SQL is built only once, for what every visitor's request does.

Peewee takes about 250 us to build the SQL of a simple query and the model of its row; SQLite runs
the query in 10 us.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from peewee import Context, Database, Field, Model, Node
from peewee import __exception_wrapper__ as wrapping_errors  # type: ignore[attr-defined]  # its stubs lack it
from psycopg2.extras import execute_batch

from embed.db.connection import db


class Parameter(Node):
    """Stands for a value in the query of a Statement; after `in_`, for a list of values."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __sql__(self, ctx: Context) -> Any:
        with ctx(value_literals=False):
            return ctx.value(self._name, converter=False)


class Statement:
    """A query that's always the same, except for its parameters."""

    def __init__(self, query: Any) -> None:
        self.query = query

    def execute(self, **values: Any) -> Any:
        """Execute it and return a cursor. Values go in and come out as the database stores them."""
        sql, names = _compile(self, db.obj)
        bound: list[Any] = []
        for value in (values[name] for name in names):
            if isinstance(value, list):  # NULL stands for an empty list: nothing equals it
                marks = ", ".join([db.obj.param] * len(value)) or "NULL"
                sql = sql.replace(f" IN {db.obj.param}", f" IN ({marks})", 1)
            bound += value if isinstance(value, list) else [value]
        return db.execute_sql(sql, bound)

    def execute_many(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute it for each row of values, as the database stores them."""
        sql, names = _compile(self, db.obj)
        with wrapping_errors:  # like execute_sql
            # psycopg2's own executemany() waits for the server after each row.
            execute = execute_batch if db.for_update else sqlite3.Cursor.executemany
            execute(db.cursor(), sql, [[row[name] for name in names] for row in rows])


@lru_cache(maxsize=100)
def _compile(statement: Statement, database: Database) -> tuple[str, list[str]]:
    """Return the SQL and the names of its parameters, in their order."""
    # All other values are written into the SQL. If a bound value decided whether a partial index
    # applies, SQLite would plan the query again on every execution.
    context: Any = database.get_sql_context(value_literals=True)
    sql, names = context.parse(statement.query)
    return sql, names


def read_row(columns: Mapping[str, Any], row: Sequence[Any]) -> Any:
    """Return a row's first values by name; values of fields are converted as in models."""
    values = dict(zip(columns, row, strict=False))
    for name, column in columns.items():
        if isinstance(column, Field):
            values[name] = column.python_value(values[name])  # type: ignore[no-untyped-call]  # peewee's
    return SimpleNamespace(**values)


def read_model(model: Any, row: Sequence[Any]) -> Any:
    """Return a model from a row of its columns, in the order of its `select()`."""
    fields = model._meta.sorted_fields
    values = zip(fields, row, strict=True)
    stored = {field.name: field.python_value(value) for field, value in values}
    return model(__no_default__=True, **stored)


def insert(row: Model) -> None:
    """Insert a new row with all its columns."""
    _get_insertion(type(row)).execute(**list_values(row))


@lru_cache(maxsize=100)
def _get_insertion(model: type[Model]) -> Statement:
    return Statement(make_insertion(model))


def make_insertion(model: Any) -> Any:
    """Return the query that inserts a row, with a parameter named after each field."""
    return model.insert({field: Parameter(field.name) for field in model._meta.sorted_fields})


def list_values(row: Any) -> dict[str, Any]:
    """Return the values of a row's fields by their names, as the database stores them."""
    return {
        field.name: field.db_value(row.__data__.get(field.name))
        for field in row._meta.sorted_fields
    }
