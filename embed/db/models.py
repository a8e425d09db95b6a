"""The database tables; every rule that a database can enforce is a constraint."""

from decimal import Decimal

from peewee import (
    AutoField,
    BigAutoField,
    BigIntegerField,
    BlobField,
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
APPROVED = ("approved", "auto_approved")
LIVE = ("pending", *APPROVED)
HOLDING_WATCHES = ("leave", "flag", "hide")


class BaseModel(Model):
    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    created_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False


class Owner(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: cannot sign in yet
    language = CharField(max_length=10, null=True)  # of notifications; null: English

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
    # What becomes of a visitor's wallet that holds less than the minimum, see holding_watch.py.
    holding_watch = CharField(
        max_length=5,
        default="leave",
        constraints=[Check("holding_watch IN ('leave', 'flag', 'hide')")],
    )
    # Incremented by every change that the public payload shows.
    version = IntegerField(default=1)
    listed_version = IntegerField(default=0)  # the version that the feed has caught up with
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
    label = TextField(null=True)  # for owners only


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
    is_hidden = BooleanField(default=False)  # by the owner
    # What the holding watch found: the low observations in a row, and when the last one was.
    low_count = IntegerField(default=0)
    low_observed_at = InstantField(null=True)
    is_withheld = BooleanField(default=False)  # hidden by the holding watch

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
    """The balance of an address that an owner entered; the owner's pages of the mint share it.

    Owners do not share these: a balance that one entered must not open another's holding gate.
    """

    owner = ForeignKeyField(Owner, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens
    observed_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False
        primary_key = CompositeKey("owner", "mint", "address")


class Token(Model):
    """What the chain says of a mint."""

    mint = CharField(max_length=44, primary_key=True)
    program = CharField(max_length=44, null=True)  # SPL Token or Token-2022
    decimals = IntegerField(null=True)
    name = TextField(null=True)
    symbol = TextField(null=True)
    supply = AmountField(null=True)  # whole tokens
    observed_at = InstantField(null=True)
    problem = TextField(null=True)  # why its balances are not read any more

    class Meta:
        database = db
        legacy_table_names = False


class ChainBalance(Model):
    """The newest observation of an address on the chain; every page of the mint shares it."""

    id = BigAutoField()
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    token_account = CharField(max_length=44)  # the associated one, which is derived
    amount = AmountField(constraints=[check_amount("amount")])  # whole tokens in all accounts
    # What other accounts than the associated one held when all of them were read.
    other_amount = AmountField(default=Decimal(0), constraints=[check_amount("other_amount")])
    slot = BigIntegerField()
    observed_at = InstantField()
    all_observed_at = InstantField(null=True)  # when all accounts were read

    class Meta:
        database = db
        legacy_table_names = False
        indexes = ((("mint", "address"), True),)


class DailyBalance(Model):
    """The first observation of a day."""

    balance = ForeignKeyField(ChainBalance, on_delete="CASCADE", index=False)
    day = IntegerField()  # since 1970, UTC
    amount = AmountField(constraints=[check_amount("amount")])
    observed_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False
        primary_key = CompositeKey("balance", "day")


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


class Proof(Model):
    """What a wallet's holder signed for a submission; those from before have none."""

    submission = ForeignKeyField(Submission, primary_key=True, on_delete="CASCADE")
    submission_id: str
    message = TextField()
    signature = BlobField(constraints=[Check("length(signature) = 64")])
    form = CharField(
        max_length=9,
        constraints=[Check("form IN ('raw', 'legacy-v0', 'v0', 'v1-early', 'v1')")],
    )
    signed_bytes = BlobField()  # exactly what the signature covers

    class Meta:
        database = db
        legacy_table_names = False


class Withdrawal(Model):
    """A submission that its wallet's holder withdrew, without anything that tells of the wallet."""

    submission_id = CharField(max_length=ID_LENGTH, primary_key=True)
    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    withdrawn_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False


class UsedNonce(Model):
    """A nonce that was used, where no submission says so; deleted once the nonce has expired."""

    token = CharField(max_length=ID_LENGTH, primary_key=True)
    expires_at = InstantField(index=True)

    class Meta:
        database = db
        legacy_table_names = False


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
    """The activity log: who did what when.

    Rows are only added; a withdrawal erases the subjects that name its wallet.
    """

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)
    subject = TextField()

    class Meta:
        indexes = ((("page", "created_at"), False),)


class Listing(Model):
    """A time during which an address was on a page's public list; the feed is made of these."""

    id = AutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    name = TextField(null=True)  # its alias, if it has one
    joined_at = InstantField()
    left_at = InstantField(null=True)

    class Meta:
        database = db
        legacy_table_names = False
        indexes = ((("page", "joined_at"), False), (("page", "left_at"), False))


Listing.add_index(
    Listing.page,
    Listing.address,
    unique=True,
    where=Listing.left_at.is_null(),
    name="listing_current",
)


class Receiver(BaseModel):
    """Where an owner wants to hear of a page's events: a webhook, or a channel of Apprise."""

    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    kind = CharField(max_length=7, constraints=[Check("kind IN ('webhook', 'channel')")])
    target = TextField()  # holds secrets: show only its masked form
    event_types = LinesField(default=())  # none: all
    secret = TextField(null=True)  # of a webhook, for HMAC: whsec_...
    previous_secret = TextField(null=True)  # signs as well until it expires
    previous_secret_expires_at = InstantField(null=True)
    signing_key = TextField(null=True)  # of a webhook, for Ed25519: whsk_...
    next_attempt_at = InstantField(null=True)  # null: at once
    failed_attempts = IntegerField(default=0)  # in a row
    is_slow = BooleanField(default=False)  # its last answer took long, or never came
    first_failed_at = InstantField(null=True)  # of these; null: the last attempt did not fail

    class Meta:
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


class Message(Model):
    """Something that happened on a page, for its receivers (transactional outbox)."""

    number = AutoField()  # the order in which receivers get them
    id = CharField(max_length=ID_LENGTH, unique=True, default=make_id)  # webhook-id
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    type = CharField(max_length=30)
    data = TextField()  # JSON
    created_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False
        indexes = ((("page", "type"), False), (("page", "number"), False))


class Delivery(Model):
    """A message on its way to a receiver."""

    id = AutoField()
    message = ForeignKeyField(Message, on_delete="CASCADE", index=False)
    receiver = ForeignKeyField(Receiver, on_delete="CASCADE", index=False)
    receiver_id: str
    state = CharField(
        max_length=9, constraints=[Check("state IN ('waiting', 'delivered', 'given_up')")]
    )
    attempts = IntegerField(default=0)
    attempted_at = InstantField(null=True)
    answer = TextField(null=True)  # to the last attempt, in words for the owner

    class Meta:
        database = db
        legacy_table_names = False
        indexes = (
            (("receiver", "state", "message"), False),
            (("receiver", "attempted_at"), False),
            (("message", "receiver"), True),
        )


class Job(Model):
    """A task of the background work that is done again and again, and how it went."""

    name = CharField(max_length=60, primary_key=True)
    due_at = InstantField(null=True)
    # The process that does it now; after `leased_until` another may.
    leased_by = TextField(null=True)
    leased_until = InstantField(null=True)
    started_at = InstantField(null=True)
    finished_at = InstantField(null=True)
    summary = TextField(null=True)  # what it did last
    failed_at = InstantField(null=True)
    failure = TextField(null=True)

    class Meta:
        database = db
        legacy_table_names = False


class WorkerProcess(Model):
    """A process that does background work."""

    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    kind = CharField(max_length=8, constraints=[Check("kind IN ('gunicorn', 'worker')")])
    host = TextField()
    process_id = IntegerField()
    started_at = InstantField()
    seen_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False


MODELS = (
    Owner,
    Page,
    ApiKey,
    Tag,
    Wallet,
    WalletTag,
    Balance,
    Token,
    ChainBalance,
    DailyBalance,
    Submission,
    Proof,
    Withdrawal,
    UsedNonce,
    RefusedOrigin,
    Activity,
    Listing,
    Receiver,
    Message,
    Delivery,
    Job,
    WorkerProcess,
)
