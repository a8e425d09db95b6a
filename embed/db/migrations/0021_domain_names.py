"""What addresses are called on the chain."""

import json
from typing import Any

from peewee import BigIntegerField, CharField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable


class Page(FrozenRow):
    look = TextField(null=True)


class DomainName(FrozenTable):
    address = CharField(max_length=44, primary_key=True)
    name = TextField(null=True)
    slot = BigIntegerField()
    observed_at = BigIntegerField(index=True)


LOST = "the domain names of wallets, and which pages show them"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([DomainName]):
        db.create_tables([DomainName], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "domain_name"')
    with db.bind_ctx([Page]):
        looks: Any = Page.select(Page.id, Page.look).where(Page.look.is_null(False)).tuples()
        for page_id, text in list(looks):
            _forget_names(page_id, json.loads(text))


def _forget_names(page_id: str, look: dict[str, Any]) -> None:
    """Take out what the version before would not know, and so not read."""
    if look.pop("names", None) is not None:
        text = json.dumps(look) if look else None
        Page.update(look=text).where(Page.id == page_id).execute()
