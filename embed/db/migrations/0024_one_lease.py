"""One process does the background work, by a lease; whoever sends to a receiver claims it."""

from typing import Any

from peewee import BigIntegerField, CharField, Check, IntegerField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenTable


class Lease(FrozenTable):
    name = CharField(max_length=20, primary_key=True)
    holder = CharField(max_length=20)
    kind = CharField(max_length=8, constraints=[Check("kind IN ('gunicorn', 'worker')")])
    host = TextField()
    process_id = IntegerField()
    started_at = BigIntegerField()
    seen_at = BigIntegerField()


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([Lease]):
        db.create_tables([Lease], safe=False)
    db.execute_sql('DROP TABLE "worker_process"')
    db.execute_sql("DELETE FROM job WHERE name NOT IN ('backup', 'balances', 'feed', 'prune')")
    for column in ("leased_by", "leased_until"):
        db.execute_sql(f'ALTER TABLE "job" DROP COLUMN "{column}"')
    db.execute_sql('ALTER TABLE "receiver" DROP COLUMN "is_slow"')
    db.execute_sql('ALTER TABLE "receiver" ADD COLUMN "claimed_until" BIGINT')
