"""Events: what happens to a page, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from embed.db.models import ApiKey, Block, Page, Submission, Wallet
from embed.domain.activity import SENTENCE_BY_ACTION
from embed.domain.addresses import shorten_address
from embed.domain.times import format_instant
from embed.serializers import as_dict, describe_submission


@dataclass(frozen=True, slots=True)
class Event:
    """A change to a page; domain/activity.py puts it into words.

    `data` has its facts, which the page's receivers get along with the page's id.
    """

    action: str
    data: Mapping[str, Any]
    message_type: str | None = None  # None: the page's receivers aren't notified

    def __post_init__(self) -> None:
        if self.action not in SENTENCE_BY_ACTION:
            raise ValueError(self.action)

    @classmethod
    def of_page(cls, action: str, page: Page) -> Self:
        return cls(action, {"tokenName": page.token_name})

    @classmethod
    def of_page_change(cls, changes: Mapping[str, Any]) -> Self:
        """Describe new values of a page's fields."""
        owner = {"owner": changes["owner"].email} if "owner" in changes else {}
        return cls("change page", {**changes, **owner})

    @classmethod
    def of_person(cls, action: str, email: str, role: str | None = None) -> Self:
        return cls(action, {"email": email, "role": role})

    @classmethod
    def of_key(cls, action: str, key: ApiKey) -> Self:
        return cls(action, _describe_key(key))

    @classmethod
    def of_label(cls, key: ApiKey, previous_label: str | None) -> Self:
        return cls("change label", _describe_key(key) | {"previousLabel": previous_label})

    @classmethod
    def of_wallet(cls, action: str, wallet: Wallet) -> Self:
        return cls(action, {"address": wallet.address, "publicAlias": wallet.public_alias})

    @classmethod
    def of_holding(
        cls,
        wallet: Wallet,
        balance: Decimal,
        min_balance: Decimal,
        *,
        is_flagged: bool,
        is_hidden: bool = False,
    ) -> Self:
        """Describe that a visitor's wallet fell below the minimum, or holds it again.

        `is_flagged`: it holds less than the minimum. `is_hidden`: it's off the list until it holds
        the minimum again; nobody has to act on that, so nobody is notified.
        """
        found = {
            "walletId": wallet.id,
            "address": wallet.address,
            "publicAlias": wallet.public_alias,
            "tokenBalance": balance,
            "minBalance": min_balance,
        }
        if is_flagged:
            return cls("flag wallet", found | {"hidden": is_hidden}, "wallet.flagged")
        return cls("unflag wallet", found)

    @classmethod
    def of_decision(cls, action: str, submission: Submission) -> Self:
        return cls(action, as_dict(describe_submission(submission)), "submission.decided")

    @classmethod
    def of_block(cls, action: str, block: Block) -> Self:
        return cls(action, {"kind": block.kind, "pattern": shorten_pattern(block)})

    @classmethod
    def of_withdrawal(cls, submission: Submission, now: datetime, *, has_left_list: bool) -> Self:
        """Describe that a wallet's holder withdrew a submission, without naming the wallet.

        `has_left_list`: the submission had put the wallet on the list.
        """
        data = {
            "submissionId": submission.id,
            "status": submission.status,  # before
            "createdAtIso": format_instant(submission.created_at),
            "withdrawnAtIso": format_instant(now),
            "leftList": has_left_list,
        }
        return cls("withdraw submission", data, "submission.withdrawn")


def shorten_pattern(block: Block) -> str:
    """Return what a deny list entry blocks, for places that don't store wallets' addresses."""
    return shorten_address(block.pattern) if block.kind == "wallet" else block.pattern


def _describe_key(key: ApiKey) -> dict[str, Any]:
    return {"tier": key.tier, "displayPrefix": key.display_prefix, "label": key.label}
