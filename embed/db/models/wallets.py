"""The wallets of a page, their tags, and their times on the public list."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from peewee import (
    AutoField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db.fields import BaseModel, InstantField, Table
from embed.db.models.pages import Page
from embed.db.models.submissions import Submission
from embed.domain.amounts import Holding

LOW_IN_A_ROW = 2  # observations below the minimum after which a wallet is flagged
# The values that clear a wallet's marks for being below the minimum.
UNMARKED: dict[str, Any] = {"low_count": 0, "low_observed_at": None, "is_withheld": False}


class Tag(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    name = TextField()
    color = TextField()
    is_counted = BooleanField(default=True)  # whether its wallets count in the list's totals

    class Meta:
        indexes = ((("page", "name"), True),)


class Wallet(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    address = CharField(max_length=44)
    public_alias = TextField(null=True)
    is_hidden = BooleanField(default=False)  # by the owner
    # How many observations in a row were below the minimum, and when the last one was.
    low_count = IntegerField(default=0)
    low_observed_at = InstantField(null=True)
    is_withheld = BooleanField(default=False)  # off the list because it fell below the minimum
    # The one that put it on the page; an owner's edits don't change this. None: see is_withdrawn.
    submission = ForeignKeyField(Submission, null=True, unique=True, on_delete="SET NULL")
    submission_id: str | None
    # True: its holder withdrew the submission, or its approval was undone, while the owner had
    # hidden the wallet; this row keeps it hidden. False and no submission: the owner's own entry.
    is_withdrawn = BooleanField(default=False)
    folded = TextField(null=True)  # for searches, see embed/db/folded.py; null in backups only

    class Meta:
        indexes = ((("page", "address"), True),)


IS_VISIBLE = ~Wallet.is_hidden & ~Wallet.is_withheld  # on the public list


class WalletTag(Table):
    wallet = ForeignKeyField(Wallet, on_delete="CASCADE", index=False)
    tag = ForeignKeyField(Tag, on_delete="CASCADE")

    class Meta:
        primary_key = CompositeKey("wallet", "tag")


@dataclass(frozen=True, slots=True)
class TrackedWallet:
    id: str
    address: str
    public_alias: str | None
    is_hidden: bool
    known_balance: Decimal | None  # whole tokens; None: never observed
    tags: tuple[Tag, ...]
    # Set by the check of the minimum (embed/wallets/holding_watch.py):
    is_flagged: bool
    is_withheld: bool  # off the public list until it holds the minimum again
    created_at: datetime | None = None  # when it came onto the list; None: in a draft

    @property
    def token_balance(self) -> Decimal:
        """Return 0 if it was never observed."""
        return self.known_balance or Decimal(0)

    @property
    def holding(self) -> Holding:
        return Holding(self.known_balance, all(tag.is_counted for tag in self.tags))


class Listing(Table):
    """A period when an address was on a page's public list."""

    id = AutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    address = CharField(max_length=44)
    name = TextField(null=True)  # its alias, if it has one
    joined_at = InstantField()
    left_at = InstantField(null=True)

    class Meta:
        indexes = ((("page", "joined_at"), False), (("page", "left_at"), False))


Listing.add_index(
    Listing.page,
    Listing.address,
    unique=True,
    where=Listing.left_at.is_null(),
    name="listing_current",
)
