"""Upgrade a database of version 0.6.0."""

import json
from typing import Any

from playhouse.migrate import SchemaMigrator, migrate

from embed.db.apprise_addresses import read_fields
from embed.db.models import Lease, Receiver
from embed.db.schema_version import LATER_MIGRATIONS_OF_0_6_0
from embed.domain.identifiers import make_token
from embed.domain.passwords import hash_password


def up(migrator: SchemaMigrator, db: Any) -> None:
    _forget_migrations(db)
    _leave_password_and_passkeys(db)
    _enter_imported_balances(db)
    db.execute_sql("DROP TABLE domain_name")
    _make_one_lease(migrator, db)
    _name_fields_of_channels(db)


def _forget_migrations(db: Any) -> None:
    for name in LATER_MIGRATIONS_OF_0_6_0:
        db.execute_sql(f"DELETE FROM schema_migration WHERE name = '{name}'")  # noqa: S608 -- names of ours


def _leave_password_and_passkeys(db: Any) -> None:
    """Drop the other sign-in methods, and give people without a password an unknown one.

    Having no password at all would make their old one-time links valid again. A new link lets them
    choose a password.
    """
    for table in ("linked_wallet", "recovery_code"):
        db.execute_sql(f"DROP TABLE {table}")
    for (person_id,) in db.execute_sql(
        "SELECT id FROM person WHERE password_hash LIKE 'off:%%'"
    ).fetchall():
        db.execute_sql(
            f"UPDATE person SET password_hash = {db.param} WHERE id = {db.param}",  # noqa: S608 -- the driver's placeholder
            (hash_password(make_token(32)), person_id),
        )


def _enter_imported_balances(db: Any) -> None:
    """Turn balances imported from pages' files into the owner's; existing ones win."""
    db.execute_sql(
        "INSERT INTO balance (owner_id, mint, address, amount, observed_at)"
        " SELECT owner_id, mint, address, amount, observed_at FROM"
        " (SELECT page.owner_id, mint, address, amount, observed_at, row_number() OVER"
        " (PARTITION BY page.owner_id, mint, address ORDER BY observed_at DESC, page.id) AS place"
        " FROM imported_day JOIN imported_balance ON imported_balance.id = balance_id"
        " JOIN page ON page.id = page_id) AS newest WHERE place = 1 ON CONFLICT DO NOTHING"
    )
    for table in ("imported_day", "imported_balance"):
        db.execute_sql(f"DROP TABLE {table}")


def _make_one_lease(migrator: SchemaMigrator, db: Any) -> None:
    """Let one process do the background work and claim the receivers that it sends to."""
    with db.bind_ctx([Lease]):
        db.create_tables([Lease], safe=False)
    db.execute_sql("DROP TABLE worker_process")
    db.execute_sql("DELETE FROM job WHERE name NOT IN ('backup', 'balances', 'feed', 'prune')")
    db.execute_sql("ALTER TABLE job DROP COLUMN leased_by")
    db.execute_sql("ALTER TABLE job DROP COLUMN leased_until")
    db.execute_sql("ALTER TABLE receiver DROP COLUMN is_slow")
    migrate(migrator.add_column("receiver", "claimed_until", Receiver.claimed_until))


def _name_fields_of_channels(db: Any) -> None:
    """Replace a channel's address with its fields; unreadable addresses stay unchanged."""
    channels = db.execute_sql(
        "SELECT id, target FROM receiver WHERE kind = 'channel' AND person_id IS NULL"
    ).fetchall()
    for receiver_id, address in channels:
        fields = read_fields(address)
        if fields is not None:
            db.execute_sql(
                f"UPDATE receiver SET target = {db.param} WHERE id = {db.param}",  # noqa: S608 -- the driver's placeholder
                (json.dumps(fields), receiver_id),
            )
