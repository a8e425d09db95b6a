"""Which submission put a wallet on its page, in the wallet's own row."""

from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    ForeignKeyField,
    IntegerField,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator, migrate

from embed.db.frozen_tables import FrozenRow, add_columns, rebuild_table


class Page(FrozenRow):
    pass


class Submission(FrozenRow):
    pass


class OldWallet(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField()
    low_count = IntegerField()
    low_observed_at = BigIntegerField(null=True)
    is_withheld = BooleanField()

    class Meta:
        table_name = "wallet"
        indexes = ((("page", "address"), True),)


class Wallet(OldWallet):
    submission = ForeignKeyField(Submission, null=True, unique=True, on_delete="SET NULL")
    is_withdrawn = BooleanField(default=False)


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


def up(migrator: SchemaMigrator, db: Any) -> None:
    add_columns(migrator, Wallet)
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
        rebuild_table(db, OldWallet)
    else:
        db.execute_sql('ALTER TABLE "wallet" DROP COLUMN "submission_id", DROP "is_withdrawn"')
