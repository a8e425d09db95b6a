"""flask version"""

import platform

import click
from flask.cli import with_appcontext
from peewee import PeeweeException, PostgresqlDatabase

from embed import __version__
from embed.db.connection import db
from embed.db.schema_version import list_applied_migrations, list_migrations
from embed.terminal import Command, Record, json_option, print_record


@click.command("version", cls=Command)
@json_option
@with_appcontext
def command(as_json: bool) -> None:
    """Show which version this is, and which one the database has."""
    print_record(_describe(), as_json=as_json)


def _describe() -> Record:
    known = list_migrations()
    server, applied = _ask_database()
    return {
        "version": __version__,
        "python": platform.python_version(),
        "database": server,
        "migration": applied[-1] if applied else None,
        "newestMigration": known[-1],
        "isUpToDate": applied == known,
    }


def _ask_database() -> tuple[str | None, list[str]]:
    """Return the kind and version of the database, None if it does not answer; its migrations."""
    is_postgres = isinstance(db.obj, PostgresqlDatabase)
    sql = "SHOW server_version" if is_postgres else "SELECT sqlite_version()"
    try:
        ((number,),) = db.execute_sql(sql).fetchall()
        return f"{'Postgres' if is_postgres else 'SQLite'} {number}", list_applied_migrations()
    except PeeweeException:
        return None, []
