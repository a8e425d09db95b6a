"""Balances from the chain, messages to owners, and the background work that does both."""

from decimal import Decimal
from typing import Any

from peewee import (
    AutoField,
    BigAutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)
from playhouse.migrate import SchemaMigrator, migrate

from embed.db.frozen_tables import FrozenRow, FrozenTable, add_columns, is_amount


class Owner(FrozenRow):
    pass


class Page(FrozenRow):
    owner = ForeignKeyField(Owner, on_delete="RESTRICT")
    token_name = TextField()
    token_symbol = TextField()
    token_mint = CharField(max_length=44, index=True)
    public_title = TextField(null=True)
    public_comments = TextField(null=True)
    is_public = BooleanField()
    is_embeddable = BooleanField()
    auto_approve = BooleanField()
    min_balance = TextField(constraints=[Check(is_amount("min_balance"))])
    queue_capacity = IntegerField(constraints=[Check("queue_capacity >= 0")])
    cooldown_s = IntegerField(constraints=[Check("cooldown_s >= 0")])
    trust_after = IntegerField(constraints=[Check("trust_after >= 0")])
    holding_watch = CharField(
        max_length=5,
        default="leave",
        constraints=[Check("holding_watch IN ('leave', 'flag', 'hide')")],
    )
    version = IntegerField()
    listed_version = IntegerField(default=0)
    deleted_at = BigIntegerField(null=True)


class Wallet(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField()
    low_count = IntegerField(default=0)
    low_observed_at = BigIntegerField(null=True)
    is_withheld = BooleanField(default=False)

    class Meta:
        indexes = ((("page", "address"), True),)


class Token(FrozenTable):
    mint = CharField(max_length=44, primary_key=True)
    program = CharField(max_length=44, null=True)
    decimals = IntegerField(null=True)
    name = TextField(null=True)
    symbol = TextField(null=True)
    supply = TextField(null=True)
    observed_at = BigIntegerField(null=True)
    problem = TextField(null=True)


class ChainBalance(FrozenTable):
    id = BigAutoField()
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    token_account = CharField(max_length=44)
    amount = TextField(constraints=[Check(is_amount("amount"))])
    other_amount = TextField(default=Decimal(0), constraints=[Check(is_amount("other_amount"))])
    slot = BigIntegerField()
    observed_at = BigIntegerField()
    all_observed_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("mint", "address"), True),)


class DailyBalance(FrozenTable):
    balance = ForeignKeyField(ChainBalance, on_delete="CASCADE", index=False)
    day = IntegerField()
    amount = TextField(constraints=[Check(is_amount("amount"))])
    observed_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("balance", "day")


class Listing(FrozenTable):
    id = AutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    name = TextField(null=True)
    joined_at = BigIntegerField()
    left_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("page", "joined_at"), False), (("page", "left_at"), False))


Listing.add_index(
    Listing.page,
    Listing.address,
    unique=True,
    where=Listing.left_at.is_null(),
    name="listing_current",
)


class Receiver(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    kind = CharField(max_length=7, constraints=[Check("kind IN ('webhook', 'channel')")])
    target = TextField()
    event_types = TextField()
    secret = TextField(null=True)
    previous_secret = TextField(null=True)
    previous_secret_expires_at = BigIntegerField(null=True)
    signing_key = TextField(null=True)
    next_attempt_at = BigIntegerField(null=True)
    failed_attempts = IntegerField()
    is_slow = BooleanField()
    first_failed_at = BigIntegerField(null=True)

    class Meta:
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


class Message(FrozenTable):
    number = AutoField()
    id = CharField(max_length=20, unique=True)
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    type = CharField(max_length=30)
    data = TextField()
    created_at = BigIntegerField()

    class Meta:
        indexes = ((("page", "type"), False), (("page", "number"), False))


class Delivery(FrozenTable):
    id = AutoField()
    message = ForeignKeyField(Message, on_delete="CASCADE", index=False)
    receiver = ForeignKeyField(Receiver, on_delete="CASCADE", index=False)
    state = CharField(
        max_length=9, constraints=[Check("state IN ('waiting', 'delivered', 'given_up')")]
    )
    attempts = IntegerField()
    attempted_at = BigIntegerField(null=True)
    answer = TextField(null=True)

    class Meta:
        indexes = (
            (("receiver", "state", "message"), False),
            (("receiver", "attempted_at"), False),
            (("message", "receiver"), True),
        )


class Job(FrozenTable):
    name = CharField(max_length=60, primary_key=True)
    due_at = BigIntegerField(null=True)
    leased_by = TextField(null=True)
    leased_until = BigIntegerField(null=True)
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)
    summary = TextField(null=True)
    failed_at = BigIntegerField(null=True)
    failure = TextField(null=True)


class WorkerProcess(FrozenTable):
    id = CharField(max_length=20, primary_key=True)
    kind = CharField(max_length=8, constraints=[Check("kind IN ('gunicorn', 'worker')")])
    host = TextField()
    process_id = IntegerField()
    started_at = BigIntegerField()
    seen_at = BigIntegerField()


TABLES = [
    Token,
    ChainBalance,
    DailyBalance,
    Listing,
    Receiver,
    Message,
    Delivery,
    Job,
    WorkerProcess,
]

# The wallets that are on a list now have joined it when they were added. A list that nobody can
# read has none: whoever is off it by the time that it is opened was never public.
_LIST_WALLETS = """
    INSERT INTO listing (page_id, address, name, joined_at)
    SELECT page_id, address, public_alias, wallet.created_at
    FROM wallet JOIN page ON page.id = page_id
    WHERE NOT is_hidden AND is_public AND is_embeddable AND deleted_at IS NULL
"""


def up(migrator: SchemaMigrator, db: Any) -> None:
    migrate(migrator.add_column("owner", "language", CharField(max_length=10, null=True)))
    add_columns(migrator, Page)
    add_columns(migrator, Wallet)
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
    db.execute_sql('ALTER TABLE "balance" DROP COLUMN "slot"')  # unused by what is entered by hand
    db.execute_sql(_LIST_WALLETS)
