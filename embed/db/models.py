"""The database tables; every rule that a database can enforce is a constraint."""

from decimal import Decimal

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from embed.db.connection import db
from embed.db.fields import AmountField, InstantField, LinesField, check_amount
from embed.domain.identifiers import ID_LENGTH, make_id

STATUSES = ("pending", "approved", "auto_approved", "rejected", "soft_rejected")
LIVE = ("pending", "approved", "auto_approved")


class BaseModel(Model):
    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    created_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False


class Owner(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: cannot sign in yet

    def __str__(self) -> str:
        return str(self.email)


class Page(BaseModel):
    owner = ForeignKeyField(Owner, on_delete="RESTRICT")
    owner_id: str
    token_name = TextField()
    token_symbol = TextField()
    token_mint = CharField(max_length=44, index=True)
    public_title = TextField(null=True)
    public_comments = TextField(null=True)
    is_public = BooleanField(default=True)
    is_embeddable = BooleanField(default=True)
    auto_approve = BooleanField(default=False)
    min_balance = AmountField(default=Decimal(0), constraints=[check_amount("min_balance")])
    queue_capacity = IntegerField(default=100, constraints=[Check("queue_capacity >= 0")])
    cooldown_s = IntegerField(default=86_400, constraints=[Check("cooldown_s >= 0")])
    trust_after = IntegerField(default=0, constraints=[Check("trust_after >= 0")])
    # Incremented by every change that the public payload shows.
    version = IntegerField(default=1)
    deleted_at = InstantField(null=True)


class ApiKey(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    tier = CharField(max_length=6, constraints=[Check("tier IN ('public', 'secret')")])
    key_hash = CharField(max_length=64, unique=True)
    display_prefix = CharField(max_length=12)
    origins = LinesField(default=())
    allow_null_origin = BooleanField(default=False)
    revoked_at = InstantField(null=True)
    last_used_at = InstantField(null=True)  # to the hour
    is_preview = BooleanField(default=False)  # used by the dashboard's preview only


ApiKey.add_index(ApiKey.page, unique=True, where=ApiKey.is_preview, name="api_key_preview")


class Tag(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    name = TextField()
    color = TextField()

    class Meta:
        indexes = ((("page", "name"), True),)


class Wallet(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField(default=False)

    class Meta:
        indexes = ((("page", "address"), True),)


class WalletTag(Model):
    wallet = ForeignKeyField(Wallet, on_delete="CASCADE", index=False)
    tag = ForeignKeyField(Tag, on_delete="CASCADE")

    class Meta:
        database = db
        legacy_table_names = False
        primary_key = CompositeKey("wallet", "tag")


class Balance(Model):
    """The newest observation of one address; an owner's pages of the mint share it.

    Owners do not share observations: a balance that one entered must not open another's
    holding gate.
    """

    owner = ForeignKeyField(Owner, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens
    observed_at = InstantField()
    slot = BigIntegerField(null=True)  # null: entered by hand

    class Meta:
        database = db
        legacy_table_names = False
        primary_key = CompositeKey("owner", "mint", "address")


class Submission(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE")
    wallet_address = CharField(max_length=44, index=True)
    nickname = TextField()
    status = CharField(max_length=13)
    reject_reason = CharField(max_length=12, null=True)
    session_id = CharField(max_length=ID_LENGTH, null=True)
    # The random part of the nonce that was used: unique, so that no nonce is used twice.
    nonce = CharField(max_length=ID_LENGTH, null=True, unique=True)
    decided_at = InstantField(null=True)
    # True: the approval added the wallet to the page, so undoing it removes the wallet.
    has_added_wallet = BooleanField(default=False)

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


# Of two racing posts the database lets one win; the other answers 409 duplicate.
Submission.add_index(
    Submission.page,
    Submission.wallet_address,
    unique=True,
    where=Submission.status.in_(LIVE),
    name="submission_live_wallet",
)
# One row per session, wallet and reason, updated in place, so that nobody can fill the table.
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


class RefusedOrigin(Model):
    """A site that a key's allowlist refused, shown to the owner."""

    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE", index=False)
    api_key_id: str
    origin = CharField(max_length=300)
    count = IntegerField()
    refused_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False
        primary_key = CompositeKey("api_key", "origin")


class Activity(BaseModel):
    """The activity log: who did what when. Rows are only added, never changed."""

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)
    subject = TextField()

    class Meta:
        indexes = ((("page", "created_at"), False),)


MODELS = (
    Owner,
    Page,
    ApiKey,
    Tag,
    Wallet,
    WalletTag,
    Balance,
    Submission,
    RefusedOrigin,
    Activity,
)
