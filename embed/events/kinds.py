"""Events: a class for each kind of change to a page."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self

from embed.db.models import ApiKey, Submission, Wallet
from embed.domain.amounts import format_amount


@dataclass(frozen=True, slots=True)
class Event(ABC):
    """A change to a page."""

    action: ClassVar[str]  # a verb and its object, at most 30 characters

    @property
    @abstractmethod
    def subject(self) -> str:
        """What was changed, in words for the owner."""


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
        return ", ".join(f"{name}: {_format(value)}" for name, value in self.changes.items())


def _format(value: Any) -> str:
    return format_amount(value) if isinstance(value, Decimal) else str(value)


@dataclass(frozen=True, slots=True)
class KeyEvent(Event):
    tier: str
    display_prefix: str

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        return cls(key.tier, key.display_prefix)

    @property
    def subject(self) -> str:
        return f"{self.tier} {self.display_prefix}"


class KeyCreated(KeyEvent):
    action = "create key"


class OriginsChanged(KeyEvent):
    action = "change origins"


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
        return f"{self.alias} ({self.address})" if self.alias else self.address


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
class SubmissionEvent(Event):
    submission_id: str
    nickname: str
    wallet_address: str

    @classmethod
    def of(cls, submission: Submission) -> Self:
        return cls(submission.id, submission.nickname, submission.wallet_address)

    @property
    def subject(self) -> str:
        return f"{self.nickname} ({self.wallet_address})"


class SubmissionApproved(SubmissionEvent):
    action = "approve submission"


class SubmissionRejected(SubmissionEvent):
    action = "reject submission"


class DecisionUndone(SubmissionEvent):
    action = "undo decision"
