"""What migrations share. Each has frozen copies of its tables, independent of today's models.

Applied migrations rely on this file: what it does must stay as it is.
"""

from typing import Any

from peewee import BigIntegerField, CharField, Model, SqliteDatabase
from playhouse.migrate import SchemaMigrator, migrate


class FrozenTable(Model):
    class Meta:
        legacy_table_names = False


class FrozenRow(FrozenTable):
    """A row with an id; a migration that only refers to such a table declares no more of it."""

    id = CharField(max_length=20, primary_key=True)
    created_at = BigIntegerField()


def is_amount(column: str) -> str:
    """Return the check that allows only digits, or digits, a point and digits."""
    # No LIKE: drivers take its % for a parameter.
    rest = f"ltrim({column}, '0123456789')"
    return f"{rest} <> {column} AND rtrim({rest}, '0123456789') IN ('', '.')"


def add_columns(migrator: SchemaMigrator, model: Any) -> None:
    """Add the columns of a frozen model that its table lacks, with their defaults in all rows."""
    db, table = migrator.database, model._meta.table_name
    if isinstance(db, SqliteDatabase):
        rebuild_table(db, model)
        return
    present = {column.name for column in db.get_columns(table)}
    new = [field for field in model._meta.sorted_fields if field.column_name not in present]
    migrate(*(migrator.add_column(table, field.column_name, field) for field in new))


def rebuild_table(db: Any, model: Any, **converted: str) -> None:
    """Copy a table of SQLite into one of the frozen model's form, and put that in its place.

    Peewee's own way cannot read the checks of amounts. Columns keep their values, but for those
    whose SQL expression is given; new ones have their defaults. schema_version has foreign keys
    off, so what refers to the table stays as it is.
    """
    table = model._meta.table_name
    copy = f"{table}_new"
    present = {column.name for column in db.get_columns(table)}
    fields = model._meta.columns.items()
    kept = {name: f'"{name}"' for name, _ in fields if name in present} | converted
    new = {name: field.default for name, field in fields if name not in present}
    defaults = {name: default for name, default in new.items() if default is not None}
    columns = ", ".join(f'"{name}"' for name in [*kept, *defaults])
    values = ", ".join([*kept.values(), *("?" for _ in defaults)])
    with db.bind_ctx([model]):
        model._meta.set_table_name(copy)
        model._schema.create_table(safe=False)
        db.execute_sql(
            f'INSERT INTO "{copy}" ({columns}) SELECT {values} FROM "{table}"',  # noqa: S608 -- names of ours
            list(defaults.values()),
        )
        db.execute_sql(f'DROP TABLE "{table}"')
        db.execute_sql(f'ALTER TABLE "{copy}" RENAME TO "{table}"')
        model._meta.set_table_name(table)
        model._schema.create_indexes(safe=False)
