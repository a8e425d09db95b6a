"""Why an owner rejected a submission, for its visitor."""

from typing import Any

from peewee import BigIntegerField, CharField, Check, ForeignKeyField, SqliteDatabase, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, add_columns, rebuild_table


class Page(FrozenRow):
    pass


class ApiKey(FrozenRow):
    pass


_DECIDED = (
    "(status = 'pending' AND reject_reason IS NULL AND decided_at IS NULL)"
    " OR (status IN ('approved', 'auto_approved')"
    " AND reject_reason IS NULL AND decided_at IS NOT NULL)"
    " OR (status IN ('rejected', 'soft_rejected')"
    " AND reject_reason IS NOT NULL AND decided_at IS NOT NULL)"
)
_ONE_REASON = (
    "(reason_code IS NULL AND reason_text IS NULL) OR (status = 'rejected'"
    " AND (reason_code IS NULL OR reason_text IS NULL))"
)


class OldSubmission(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE")
    wallet_address = CharField(max_length=44, index=True)
    nickname = TextField()
    status = CharField(max_length=13)
    reject_reason = CharField(max_length=12, null=True)
    session_id = CharField(max_length=20, null=True)
    nonce = CharField(max_length=20, null=True, unique=True)
    decided_at = BigIntegerField(null=True)

    class Meta:
        table_name = "submission"
        constraints = (Check(_DECIDED),)
        indexes = ((("page", "status", "created_at"), False),)


class Submission(OldSubmission):
    reason_code = CharField(max_length=20, null=True)
    reason_text = TextField(null=True)

    class Meta:
        constraints = (Check(_DECIDED), Check(_ONE_REASON))


for model in (OldSubmission, Submission):
    model.add_index(
        model.page,
        model.wallet_address,
        unique=True,
        where=model.status.in_(("pending", "approved", "auto_approved")),
        name="submission_live_wallet",
    )
    model.add_index(
        model.page,
        model.session_id,
        model.wallet_address,
        model.reject_reason,
        unique=True,
        where=model.status == "soft_rejected",
        name="submission_soft_rejected",
    )
    model.add_index(model.session_id, model.page, model.created_at, name="submission_session")


LOST = "the reasons that owners gave for rejections"


def up(migrator: SchemaMigrator, db: Any) -> None:
    add_columns(migrator, Submission)
    if not isinstance(db, SqliteDatabase):
        db.execute_sql(f'ALTER TABLE "submission" ADD CHECK ({_ONE_REASON})')


def down(_: SchemaMigrator, db: Any) -> None:
    if isinstance(db, SqliteDatabase):
        rebuild_table(db, OldSubmission)
    else:  # with their check
        db.execute_sql('ALTER TABLE "submission" DROP COLUMN "reason_code", DROP "reason_text"')
