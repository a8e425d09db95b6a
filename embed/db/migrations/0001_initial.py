"""The first tables: a frozen copy of the models of that day, on purpose independent of them."""

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    Database,
    DoubleField,
    ForeignKeyField,
    IntegerField,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable


class Owner(FrozenRow):
    email = CharField(max_length=254, unique=True)


class Page(FrozenRow):
    owner = ForeignKeyField(Owner, on_delete="RESTRICT")
    token_name = TextField()
    token_symbol = TextField()
    token_mint = CharField(max_length=44, index=True)
    public_title = TextField(null=True)
    public_comments = TextField(null=True)
    is_public = BooleanField(default=True)
    is_embeddable = BooleanField(default=True)
    auto_approve = BooleanField(default=False)
    min_balance = DoubleField(default=0.0, constraints=[Check("min_balance >= 0")])
    queue_capacity = IntegerField(default=100, constraints=[Check("queue_capacity >= 0")])
    cooldown_s = IntegerField(default=86_400, constraints=[Check("cooldown_s >= 0")])
    trust_after = IntegerField(default=0, constraints=[Check("trust_after >= 0")])
    version = IntegerField(default=1)
    deleted_at = BigIntegerField(null=True)


class ApiKey(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    tier = CharField(max_length=6, constraints=[Check("tier IN ('public', 'secret')")])
    key_hash = CharField(max_length=64, unique=True)
    display_prefix = CharField(max_length=12)
    origins = TextField(default=())
    allow_null_origin = BooleanField(default=False)
    revoked_at = BigIntegerField(null=True)


class Tag(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    name = TextField()
    color = TextField()

    class Meta:
        indexes = ((("page", "name"), True),)


class Wallet(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField(default=False)

    class Meta:
        indexes = ((("page", "address"), True),)


class WalletTag(FrozenTable):
    wallet = ForeignKeyField(Wallet, on_delete="CASCADE", index=False)
    tag = ForeignKeyField(Tag, on_delete="CASCADE")

    class Meta:
        primary_key = CompositeKey("wallet", "tag")


class Balance(FrozenTable):
    owner = ForeignKeyField(Owner, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = DoubleField(constraints=[Check("amount >= 0")])
    observed_at = BigIntegerField()
    slot = BigIntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("owner", "mint", "address")


class Submission(FrozenRow):
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
        constraints = (
            Check(
                "(status = 'pending' AND reject_reason IS NULL AND decided_at IS NULL)"
                " OR (status IN ('approved', 'auto_approved')"
                " AND reject_reason IS NULL AND decided_at IS NOT NULL)"
                " OR (status IN ('rejected', 'soft_rejected')"
                " AND reject_reason IS NOT NULL AND decided_at IS NOT NULL)"
            ),
        )
        indexes = ((("page", "status", "created_at"), False),)


Submission.add_index(
    Submission.page,
    Submission.wallet_address,
    unique=True,
    where=Submission.status.in_(("pending", "approved", "auto_approved")),
    name="submission_live_wallet",
)
Submission.add_index(
    Submission.page,
    Submission.session_id,
    Submission.wallet_address,
    Submission.reject_reason,
    unique=True,
    where=Submission.status == "soft_rejected",
    name="submission_soft_rejected",
)
Submission.add_index(
    Submission.session_id, Submission.page, Submission.created_at, name="submission_session"
)


MODELS = (Owner, Page, ApiKey, Tag, Wallet, WalletTag, Balance, Submission)


def up(migrator: SchemaMigrator, db: Database) -> None:
    with db.bind_ctx(MODELS):
        db.create_tables(MODELS, safe=False)
