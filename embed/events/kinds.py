"""Events: a class for each kind of change to a page."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Self

from embed.db.models import ApiKey, Submission, Wallet
from embed.domain.amounts import format_amount
from embed.domain.times import format_instant
from embed.serializers import describe_submission

# What the dashboard calls the fields of a page.
PAGE_FIELDS = {
    "owner": "owner",
    "token_name": "token name",
    "token_symbol": "ticker",
    "token_mint": "mint address",
    "public_title": "title",
    "public_comments": "comment",
    "is_public": "public",
    "is_embeddable": "embedding",
    "auto_approve": "approve everything at once",
    "min_balance": "minimum balance",
    "queue_capacity": "places in the queue",
    "cooldown_s": "cooldown in seconds",
    "trust_after": "approvals that earn trust",
    "holding_watch": "holding watch",
}


@dataclass(frozen=True, slots=True)
class Event(ABC):
    """A change to a page."""

    action: ClassVar[str]  # a verb and its object, at most 30 characters
    message_type: ClassVar[str | None] = None  # None: the page's receivers are not told

    @property
    @abstractmethod
    def subject(self) -> str:
        """What was changed, in words for the owner."""

    @property
    def data(self) -> dict[str, Any]:
        """What the page's receivers are told, beside the page's id."""
        return {}


@dataclass(frozen=True, slots=True)
class PageEvent(Event):
    token_name: str

    @property
    def subject(self) -> str:
        return self.token_name


class PageCreated(PageEvent):
    action = "create page"


class PageDeleted(PageEvent):
    action = "delete page"


class PageRestored(PageEvent):
    action = "restore page"


@dataclass(frozen=True, slots=True)
class PageChanged(Event):
    action = "change page"
    changes: Mapping[str, Any]  # the new values, by field

    @property
    def subject(self) -> str:
        return ", ".join(
            f"{PAGE_FIELDS[name]}: {_format(value)}" for name, value in self.changes.items()
        )


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return format_amount(value) if isinstance(value, Decimal) else str(value)


@dataclass(frozen=True, slots=True)
class KeyEvent(Event):
    tier: str
    display_prefix: str
    label: str | None

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        return cls(key.tier, key.display_prefix, key.label)

    @property
    def subject(self) -> str:
        return self._name(self.label)

    def _name(self, label: str | None) -> str:
        name = f"{self.tier} {self.display_prefix}"
        return f"{label} ({name})" if label else name


class KeyCreated(KeyEvent):
    action = "create key"


class OriginsChanged(KeyEvent):
    action = "change origins"


@dataclass(frozen=True, slots=True)
class KeyLabelChanged(KeyEvent):
    action = "change label"
    previous_label: str | None

    @classmethod
    def of_change(cls, key: ApiKey, previous_label: str | None) -> Self:
        return cls(key.tier, key.display_prefix, key.label, previous_label)

    @property
    def subject(self) -> str:
        return f"{self._name(self.previous_label)}, now {self.label or 'without a label'}"


class KeyRevoked(KeyEvent):
    action = "revoke key"


@dataclass(frozen=True, slots=True)
class TagEvent(Event):
    name: str

    @property
    def subject(self) -> str:
        return self.name


class TagAdded(TagEvent):
    action = "add tag"


class TagRemoved(TagEvent):
    action = "remove tag"


@dataclass(frozen=True, slots=True)
class TagChanged(TagEvent):
    action = "change tag"
    previous_name: str

    @property
    def subject(self) -> str:
        is_renamed = self.name != self.previous_name
        return f"{self.previous_name}, now {self.name}" if is_renamed else self.name


@dataclass(frozen=True, slots=True)
class WalletEvent(Event):
    address: str
    alias: str | None

    @classmethod
    def of(cls, wallet: Wallet) -> Self:
        return cls(wallet.address, wallet.public_alias)

    @property
    def subject(self) -> str:
        return _name_wallet(self.address, self.alias)


def _name_wallet(address: str, alias: str | None) -> str:
    return f"{alias} ({address})" if alias else address


class WalletAdded(WalletEvent):
    action = "add wallet"


class WalletChanged(WalletEvent):
    action = "change wallet"


class WalletRemoved(WalletEvent):
    action = "remove wallet"


@dataclass(frozen=True, slots=True)
class WalletsImported(Event):
    action = "import wallets"
    added: int
    changed: int

    @property
    def subject(self) -> str:
        return f"{self.added} added, {self.changed} changed"


@dataclass(frozen=True, slots=True)
class BulkEvent(Event):
    """One action on many wallets."""

    count: int
    tag_name: str | None = None

    @property
    def subject(self) -> str:
        return str(self.count) if self.tag_name is None else f"{self.count}, {self.tag_name}"


class WalletsHidden(BulkEvent):
    action = "hide wallets"


class WalletsShown(BulkEvent):
    action = "show wallets"


class WalletsTagged(BulkEvent):
    action = "tag wallets"


class WalletsUntagged(BulkEvent):
    action = "untag wallets"


class WalletsRemoved(BulkEvent):
    action = "remove wallets"


@dataclass(frozen=True, slots=True)
class HoldingEvent(Event):
    """What the holding watch found about a wallet that a visitor put on the page."""

    wallet_id: str
    address: str
    alias: str | None
    balance: Decimal
    min_balance: Decimal

    @property
    def subject(self) -> str:
        balance, least = map(format_amount, (self.balance, self.min_balance))
        who = _name_wallet(self.address, self.alias)
        return f"{who}: holds {balance}, the minimum is {least}"


@dataclass(frozen=True, slots=True)
class WalletFlagged(HoldingEvent):
    """The wallet holds less than the page's minimum."""

    action = "flag wallet"
    message_type = "wallet.flagged"
    is_hidden: bool  # by the holding watch, until it holds the minimum again

    @property
    def data(self) -> dict[str, Any]:
        return {
            "walletId": self.wallet_id,
            "address": self.address,
            "publicAlias": self.alias,
            "tokenBalance": self.balance,
            "minBalance": self.min_balance,
            "hidden": self.is_hidden,
        }


class WalletUnflagged(HoldingEvent):
    """The wallet holds the minimum again; nobody has to act, so nobody is told."""

    action = "unflag wallet"


@dataclass(frozen=True, slots=True)
class ReceiverEvent(Event):
    kind: str
    masked_target: str  # without its secrets: every owner of the page reads the log

    @property
    def subject(self) -> str:
        return f"{self.kind} {self.masked_target}"


class ReceiverAdded(ReceiverEvent):
    action = "add receiver"


class ReceiverRemoved(ReceiverEvent):
    action = "remove receiver"


class SecretRotated(ReceiverEvent):
    action = "rotate secret"


@dataclass(frozen=True, slots=True)
class SubmissionEvent(Event):
    message_type = "submission.decided"
    description: Mapping[str, Any]  # the submission after the change, as JSON

    @classmethod
    def of(cls, submission: Submission) -> Self:
        return cls(describe_submission(submission))

    @property
    def subject(self) -> str:
        return f"{self.description['nickname']} ({self.description['walletAddress']})"

    @property
    def data(self) -> dict[str, Any]:
        return dict(self.description)


class SubmissionApproved(SubmissionEvent):
    action = "approve submission"


class SubmissionRejected(SubmissionEvent):
    action = "reject submission"


class DecisionUndone(SubmissionEvent):
    action = "undo decision"


@dataclass(frozen=True, slots=True)
class SubmissionWithdrawn(Event):
    """The wallet's holder withdrew it, so nothing here names the wallet."""

    action = "withdraw submission"
    message_type = "submission.withdrawn"
    submission_id: str
    status: str  # before
    sent_at: datetime
    withdrawn_at: datetime
    has_left_list: bool  # it had put its wallet on the list

    @classmethod
    def of(cls, submission: Submission, now: datetime, *, has_left_list: bool) -> Self:
        return cls(submission.id, submission.status, submission.created_at, now, has_left_list)

    @property
    def subject(self) -> str:
        return f"{self.submission_id}, sent {format_instant(self.sent_at)}"

    @property
    def data(self) -> dict[str, Any]:
        return {
            "submissionId": self.submission_id,
            "status": self.status,
            "createdAtIso": format_instant(self.sent_at),
            "withdrawnAtIso": format_instant(self.withdrawn_at),
            "leftList": self.has_left_list,
        }


@dataclass(frozen=True, slots=True)
class WalletErased(Event):
    """All that was kept of a wallet was erased, so nothing here names it."""

    action = "erase wallet"

    @property
    def subject(self) -> str:
        return "and all that was kept of it"
