"""Proofs of submissions, and what remains of those that were withdrawn."""

from typing import Any

from peewee import BigIntegerField, BlobField, CharField, Check, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable


class Page(FrozenRow):
    pass


class Submission(FrozenRow):
    pass


class Proof(FrozenTable):
    submission = ForeignKeyField(Submission, primary_key=True, on_delete="CASCADE")
    message = TextField()
    signature = BlobField(constraints=[Check("length(signature) = 64")])
    form = CharField(
        max_length=9,
        constraints=[Check("form IN ('raw', 'legacy-v0', 'v0', 'v1-early', 'v1')")],
    )
    signed_bytes = BlobField()


class Withdrawal(FrozenTable):
    submission_id = CharField(max_length=20, primary_key=True)
    page = ForeignKeyField(Page, on_delete="CASCADE")
    withdrawn_at = BigIntegerField()


class UsedNonce(FrozenTable):
    token = CharField(max_length=20, primary_key=True)
    expires_at = BigIntegerField(index=True)


TABLES = [Proof, Withdrawal, UsedNonce]


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
