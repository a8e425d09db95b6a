"""The records of a page's file: a class for each type.

The JSON Schema in docs/page-file.schema.json is made from these, and a file is read with them.
"""

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from embed.db import models
from embed.keys.management import MAX_ORIGINS
from embed.keys.refused_origins import MAX_PER_KEY
from embed.maintenance.page_file.lines import Row
from embed.maintenance.page_file.values import (
    Action,
    Actor,
    Address,
    Amount,
    Base64,
    Count,
    Email,
    Id,
    Instant,
    Line,
    Lines,
    Name,
    Signature,
    Slot,
    Word,
)
from embed.notifications.receivers import MAX_RECEIVERS

# With room for the changes to come.
Version = Annotated[int, Meta(ge=0, le=2**30)]
Status = Literal["pending", "approved", "auto_approved", "rejected", "soft_rejected"]
Reason = Literal["manual", "rate_limited", "queue_full", "duplicate", "ca_gate", "cooldown"]
Secret = Annotated[str, Meta(pattern=r"^whsec_[A-Za-z0-9+/]{43}=(?![\s\S])")]
SigningKey = Annotated[str, Meta(pattern=r"^whsk_[A-Za-z0-9+/]{86}==(?![\s\S])")]


class OwnerRecord(Row, tag_field="type", tag="owner"):
    model = models.Owner
    email: Email
    language: Annotated[str, Meta(max_length=10)] | None


class PageRecord(Row, tag_field="type", tag="page"):
    model = models.Page
    id: Id
    created_at: Instant
    token_name: Name
    token_symbol: Name
    token_mint: Address
    public_title: Line | None
    public_comments: Lines | None
    is_public: bool = field(name="public")
    is_embeddable: bool = field(name="embed")
    auto_approve: bool
    min_balance: Amount
    queue_capacity: Count
    cooldown_s: Count = field(name="cooldown")
    trust_after: Count
    holding_watch: Literal["leave", "flag", "hide"]
    version: Version
    listed_version: Version
    deleted_at: Instant | None


class TagRecord(Row, tag_field="type", tag="tag"):
    model = models.Tag
    id: Id
    created_at: Instant
    name: Name
    color: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,29}(?![\s\S])")]


class RefusedOriginPart(Row):
    model = models.RefusedOrigin
    origin: Word
    count: Count
    refused_at: Instant


class KeyRecord(Row, tag_field="type", tag="key"):
    model = models.ApiKey
    id: Id
    created_at: Instant
    tier: Literal["public", "secret"]
    key_hash: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}(?![\s\S])", description="SHA-256")]
    display_prefix: Annotated[str, Meta(pattern=r"^svc_(?:pub|sec)_[0-9A-Za-z]{4}(?![\s\S])")]
    label: Line | None
    origins: Annotated[list[Word], Meta(max_length=MAX_ORIGINS)]
    allow_null_origin: bool
    revoked_at: Instant | None
    last_used_at: Instant | None
    is_preview: bool = field(name="preview")
    refused_origins: Annotated[list[RefusedOriginPart], Meta(max_length=MAX_PER_KEY)]


class WalletRecord(Row, tag_field="type", tag="wallet"):
    model = models.Wallet
    id: Id
    created_at: Instant
    address: Address
    public_alias: Name | None
    is_hidden: bool = field(name="hideFromPublic")
    low_count: Count
    low_observed_at: Instant | None
    is_withheld: bool = field(name="withheld")
    tag_ids: list[Id]
    # Absent in files of earlier versions.
    submission: Id | UnsetType | None = field(name="submissionId", default=UNSET)
    is_withdrawn: bool = field(name="withdrawn", default=False)


class ProofPart(Row):
    model = models.Proof
    message: Annotated[str, Meta(max_length=2000)]
    signature: Signature
    form: Literal["raw", "legacy-v0", "v0", "v1-early", "v1"]
    signed_bytes: Base64

    def check(self) -> None:
        if any(not (one.isprintable() or one == "\n") for one in self.message):
            raise ValueError("The message contains a character that no message has.")


class SubmissionRecord(Row, tag_field="type", tag="submission"):
    model = models.Submission
    id: Id
    created_at: Instant
    api_key: Id = field(name="keyId")
    wallet_address: Address
    nickname: Line  # empty once it was withdrawn
    status: Status
    reject_reason: Reason | None
    session_id: Id | None
    nonce: Id | None
    decided_at: Instant | None
    proof: ProofPart | None
    # Not written any more: a wallet names the submission that put it on the page.
    has_added_wallet: bool | UnsetType = UNSET

    def check(self) -> None:
        super().check()
        is_decided, has_reason = self.decided_at is not None, self.reject_reason is not None
        if is_decided == (self.status == "pending"):
            raise ValueError(f"A submission that is {self.status} has another decidedAtIso.")
        if has_reason != (self.status in ("rejected", "soft_rejected")):
            raise ValueError(f"A submission that is {self.status} has another rejectReason.")


class WithdrawalRecord(Row, tag_field="type", tag="withdrawal"):
    model = models.Withdrawal
    submission_id: Id
    withdrawn_at: Instant


class UsedNonceRecord(Row, tag_field="type", tag="usedNonce"):
    model = models.UsedNonce
    token: Id
    expires_at: Instant


class ActivityRecord(Row, tag_field="type", tag="activity"):
    model = models.Activity
    id: Id
    created_at: Instant
    actor: Actor
    action: Action
    subject: Lines


class ListingRecord(Row, tag_field="type", tag="listing"):
    model = models.Listing
    address: Address
    name: Name | None
    joined_at: Instant
    left_at: Instant | None


class ReceiverRecord(Row, tag_field="type", tag="receiver"):
    model = models.Receiver
    id: Id
    created_at: Instant
    kind: Literal["webhook", "channel"]
    target: Annotated[Line, Meta(min_length=1)]
    event_types: Annotated[list[Word], Meta(max_length=20)]
    secret: Secret | None
    previous_secret: Secret | None
    previous_secret_expires_at: Instant | None
    signing_key: SigningKey | None
    next_attempt_at: Instant | None
    failed_attempts: Count
    is_slow: bool = field(name="slow")
    first_failed_at: Instant | None

    def check(self) -> None:
        if (self.kind == "webhook") != (self.secret is not None):
            raise ValueError("A webhook has a secret, and a channel has none.")
        if self.kind == "webhook" and not self.target.startswith(("http://", "https://")):
            raise ValueError("The target of a webhook begins with https:// or http://.")


class DeliveryPart(Row):
    model = models.Delivery
    receiver: Id = field(name="receiverId")
    state: Literal["delivered", "given_up"]
    attempts: Count
    attempted_at: Instant | None
    answer: Line | None


class MessageRecord(Row, tag_field="type", tag="message"):
    model = models.Message
    id: Id
    created_at: Instant
    type: Action = field(name="messageType")
    data: Annotated[str, Meta(max_length=100_000, description="JSON, as receivers get it")]
    deliveries: Annotated[list[DeliveryPart], Meta(max_length=MAX_RECEIVERS)]

    def check(self) -> None:
        try:
            msgspec.json.decode(self.data, type=dict[str, Any])
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise ValueError("The data of a message is no JSON object.") from None


class BalanceRecord(Row, tag_field="type", tag="enteredBalance"):
    model = models.Balance
    address: Address
    amount: Amount
    observed_at: Instant


class TokenRecord(Row, tag_field="type", tag="token"):
    model = models.Token
    program: Address | None
    decimals: Annotated[int, Meta(ge=0, le=255)] | None
    name: Line | None
    symbol: Line | None
    supply: Amount | None
    observed_at: Instant | None
    problem: Line | None


class DayPart(Row):
    """The first observation of a day."""

    model = models.DailyBalance
    amount: Amount
    observed_at: Instant


class ObservedBalanceRecord(Row, tag_field="type", tag="observedBalance"):
    model = models.ChainBalance
    address: Address
    token_account: Address
    amount: Amount
    other_amount: Amount
    slot: Slot
    observed_at: Instant
    all_observed_at: Instant | None
    days: list[DayPart]


# In the order of a file's lines: what others name comes before these, and what pages share last.
RECORDS: tuple[type[Row], ...] = (
    OwnerRecord,
    PageRecord,
    TagRecord,
    KeyRecord,
    SubmissionRecord,
    WalletRecord,
    WithdrawalRecord,
    UsedNonceRecord,
    ActivityRecord,
    ListingRecord,
    ReceiverRecord,
    MessageRecord,
    TokenRecord,
    BalanceRecord,
    ObservedBalanceRecord,
)

ANY_RECORD: Any = reduce(or_, RECORDS)
