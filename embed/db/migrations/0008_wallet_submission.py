"""Which submission put a wallet on its page, in the wallet's own row."""

from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    ForeignKeyField,
    IntegerField,
    Model,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator, migrate


class Page(Model):
    id = CharField(max_length=20, primary_key=True)

    class Meta:
        legacy_table_names = False


class Submission(Model):
    id = CharField(max_length=20, primary_key=True)

    class Meta:
        legacy_table_names = False


class OldWallet(Model):
    id = CharField(max_length=20, primary_key=True)
    created_at = BigIntegerField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField()
    low_count = IntegerField()
    low_observed_at = BigIntegerField(null=True)
    is_withheld = BooleanField()

    class Meta:
        legacy_table_names = False
        indexes = ((("page", "address"), True),)


class Wallet(OldWallet):
    submission = ForeignKeyField(Submission, null=True, unique=True, on_delete="SET NULL")
    is_withdrawn = BooleanField()


_APPROVED = """
    SELECT submission.id FROM submission
    WHERE submission.page_id = wallet.page_id AND wallet_address = address
    AND status IN ('approved', 'auto_approved')
"""
# An approval that put its wallet on the page gave both the same time.
_FILL_FROM_TIMES = f"""
    UPDATE wallet SET submission_id = ({_APPROVED} AND decided_at = wallet.created_at)
    WHERE submission_id IS NULL
"""  # noqa: S608 -- a statement of this file
# A wallet that was withdrawn while it was hidden kept the time of the first approval. It is one if
# the page's log, since it was begun, does not say that an owner added it.
# An import gives each wallet a millisecond of its own, up to 10,000.
_WITHDRAWN = """
    SELECT 1 FROM withdrawal
    WHERE withdrawal.page_id = wallet.page_id AND withdrawn_at >= wallet.created_at
"""
_IS_NOT_ADDED = """
    EXISTS (
        SELECT 1 FROM activity
        WHERE activity.page_id = wallet.page_id AND activity.created_at <= wallet.created_at
    )
    AND NOT EXISTS (
        SELECT 1 FROM activity WHERE activity.page_id = wallet.page_id
        AND action = 'add wallet' AND activity.created_at = wallet.created_at
    )
    AND NOT EXISTS (
        SELECT 1 FROM activity WHERE activity.page_id = wallet.page_id
        AND action = 'import wallets'
        AND activity.created_at BETWEEN wallet.created_at - 10000 AND wallet.created_at
    )
"""
_FILL_FROM_LOG = f"""
    UPDATE wallet SET submission_id = ({_APPROVED})
    WHERE submission_id IS NULL AND {_IS_NOT_ADDED}
    AND EXISTS ({_APPROVED} AND EXISTS ({_WITHDRAWN} AND withdrawn_at <= submission.created_at))
"""  # noqa: S608 -- a statement of this file
# Not sent again, or not approved yet.
_MARK_WITHDRAWN = f"""
    UPDATE wallet SET is_withdrawn = (1 = 1)
    WHERE submission_id IS NULL
    AND EXISTS ({_WITHDRAWN}) AND NOT EXISTS ({_APPROVED}) AND {_IS_NOT_ADDED}
"""  # noqa: S608 -- a statement of this file
# Page files of 0.5.0 need them, too; a condition can be added to each.
FILLINGS = (_FILL_FROM_TIMES, _FILL_FROM_LOG, _MARK_WITHDRAWN)

LOST = "which submission put a wallet on its page, where that was withdrawn and sent again"


def up(_: SchemaMigrator, db: Any) -> None:
    if isinstance(db, SqliteDatabase):
        rebuild_wallets(db, Wallet)
    else:
        db.execute_sql(
            'ALTER TABLE "wallet" ADD COLUMN "submission_id" VARCHAR(20),'
            ' ADD COLUMN "is_withdrawn" BOOLEAN NOT NULL DEFAULT FALSE,'
            ' ADD FOREIGN KEY ("submission_id") REFERENCES "submission" ("id") ON DELETE SET NULL'
        )
        db.execute_sql('ALTER TABLE "wallet" ALTER COLUMN "is_withdrawn" DROP DEFAULT')
        db.execute_sql('CREATE UNIQUE INDEX "wallet_submission_id" ON "wallet" ("submission_id")')
    for statement in FILLINGS:
        db.execute_sql(statement)
    db.execute_sql('ALTER TABLE "submission" DROP COLUMN "has_added_wallet"')


def down(migrator: SchemaMigrator, db: Any) -> None:
    migrate(migrator.add_column("submission", "has_added_wallet", BooleanField(default=False)))
    db.execute_sql(
        "UPDATE submission SET has_added_wallet = (1 = 1) WHERE status = 'approved'"
        " AND id IN (SELECT submission_id FROM wallet)"
    )
    if isinstance(db, SqliteDatabase):
        rebuild_wallets(db, OldWallet)
    else:
        db.execute_sql('ALTER TABLE "wallet" DROP COLUMN "submission_id", DROP "is_withdrawn"')


def rebuild_wallets(db: Any, model: Any) -> None:
    """Copy the wallets into a table of the model's form, and put that in the place of theirs.

    schema_version has foreign keys off, so what refers to the table stays as it is.
    """
    names = [one.column_name for one in OldWallet._meta.sorted_fields]
    columns = values = ", ".join(f'"{name}"' for name in names)
    if model is Wallet:
        columns, values = f'{columns}, "is_withdrawn"', f"{values}, 0"
    model._meta.set_table_name("wallet_new")
    with db.bind_ctx([Page, Submission, model]):
        model._schema.create_table(safe=False)
        db.execute_sql(f'INSERT INTO "wallet_new" ({columns}) SELECT {values} FROM "wallet"')  # noqa: S608 -- names of ours
        db.execute_sql('DROP TABLE "wallet"')
        db.execute_sql('ALTER TABLE "wallet_new" RENAME TO "wallet"')
        model._meta.set_table_name("wallet")
        model._schema.create_indexes(safe=False)
