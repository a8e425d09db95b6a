"""Statements whose SQL is built only once, for what every visitor's request does.

Peewee takes about 250 us to build the SQL of a simple query and the model of its row; SQLite runs
the query in 10 us.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from peewee import Context, Database, Node

from embed.db.connection import db


class Parameter(Node):
    """Stands for a value in the query of a Statement."""

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
        return db.execute_sql(sql, [values[name] for name in names])


@lru_cache(maxsize=100)
def _compile(statement: Statement, database: Database) -> tuple[str, list[str]]:
    """Return the SQL and the names of its parameters, in their order."""
    # All other values are written into the SQL. If a bound value decided whether a partial index
    # applies, SQLite would plan the query again on every execution.
    context: Any = database.get_sql_context(value_literals=True)
    sql, names = context.parse(statement.query)
    return sql, names


def read_model(model: Any, row: Sequence[Any]) -> Any:
    """Return a model from a row of its columns, in the order of its `select()`."""
    fields = model._meta.sorted_fields
    values = zip(fields, row, strict=True)
    stored = {field.name: field.python_value(value) for field, value in values}
    return model(__no_default__=True, **stored)
