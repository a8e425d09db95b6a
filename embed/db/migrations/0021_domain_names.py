"""What addresses are called on the chain."""

from typing import Any

from peewee import BigIntegerField, CharField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenTable


class DomainName(FrozenTable):
    address = CharField(max_length=44, primary_key=True)
    name = TextField(null=True)
    slot = BigIntegerField()
    observed_at = BigIntegerField(index=True)


LOST = "the domain names of wallets, until they are read again"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([DomainName]):
        db.create_tables([DomainName], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "domain_name"')
