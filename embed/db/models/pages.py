"""Pages, the people who can use them, and their API keys."""

from decimal import Decimal

from peewee import (
    BlobField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db.fields import (
    AmountField,
    BaseModel,
    ChoiceField,
    InstantField,
    LinesField,
    LookField,
    Table,
    check_amount,
)
from embed.db.models.people import Person
from embed.domain.look import DEFAULT_LOOK
from embed.domain.roles import MEMBER_ROLES, ROLES

HOLDING_WATCHES = ("leave", "flag", "hide")


class Page(BaseModel):
    owner = ForeignKeyField(Person, on_delete="RESTRICT")
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
    # What happens to a visitor's wallet that falls below the minimum, see holding_watch.py.
    holding_watch = ChoiceField(*HOLDING_WATCHES, default="leave")
    # Incremented by every change that's visible in the public payload.
    version = IntegerField(default=1)
    listed_version = IntegerField(default=0)  # the version that the listings have caught up with
    deleted_at = InstantField(null=True)
    look = LookField(null=True, default=DEFAULT_LOOK)


class Logo(Table):
    """A page's logo, as embed/logos.py draws it."""

    page = ForeignKeyField(Page, primary_key=True, on_delete="CASCADE")
    page_id: str
    digest = CharField(max_length=24)  # of the content, for its address
    content = BlobField()  # WebP


class Member(BaseModel):
    """Someone other than the owner who can use a page, as far as their role allows."""

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    person = ForeignKeyField(Person, on_delete="CASCADE")
    person_id: str
    role = ChoiceField(*MEMBER_ROLES)

    class Meta:
        indexes = ((("page", "person"), True),)


class Invitation(BaseModel):
    """An offer of a role on a page; anyone with its link can sign in with its address."""

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    email = CharField(max_length=254)
    role = ChoiceField(*ROLES)  # owner: an offer to transfer the page
    invited_by = CharField(max_length=254)  # the actor in the activity log
    token_hash = CharField(max_length=64, unique=True)
    expires_at = InstantField()

    class Meta:
        indexes = ((("page", "email"), True),)


class ApiKey(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    tier = ChoiceField("public", "secret")
    key_hash = CharField(max_length=64, unique=True)
    display_prefix = CharField(max_length=12)
    origins = LinesField(default=())
    allow_null_origin = BooleanField(default=False)
    revoked_at = InstantField(null=True)
    last_used_at = InstantField(null=True)  # to the hour
    purpose = ChoiceField("sites", "preview", "link", default="sites")  # see keys/derived.py
    label = TextField(null=True)  # for owners only


ApiKey.add_index(
    ApiKey.page,
    ApiKey.purpose,
    unique=True,
    where=ApiKey.purpose != "sites",
    name="api_key_derived",
)


class RefusedOrigin(Table):
    """A site that a key's allowlist refused, shown to the owner."""

    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE", index=False)
    api_key_id: str
    origin = CharField(max_length=300)
    count = IntegerField()
    refused_at = InstantField()

    class Meta:
        primary_key = CompositeKey("api_key", "origin")
