"""The spec's section 2 as JSON values."""

from typing import Any

from embed.db.models import Page, Submission, Tag
from embed.domain.amounts import simplify_amount
from embed.domain.times import format_instant
from embed.wallets.tracking import TrackedWallet


def describe_page(page: Page) -> dict[str, Any]:
    return {
        "tokenName": page.token_name,
        "tokenSymbol": page.token_symbol,
        "tokenMint": page.token_mint,
        "publicTitle": page.public_title,
        "publicComments": page.public_comments,
    }


def describe_wallet(wallet: TrackedWallet) -> dict[str, Any]:
    """Return spec 2.2."""
    return {
        "id": wallet.id,
        "address": wallet.address,
        "publicAlias": wallet.public_alias,
        "tokenBalance": simplify_amount(wallet.token_balance),
        "tags": [describe_tag(tag) for tag in wallet.tags],
    }


def describe_tag(tag: Tag) -> dict[str, Any]:
    """Return spec 2.3."""
    return {"id": tag.id, "name": tag.name, "color": tag.color}


def describe_submission(submission: Submission) -> dict[str, Any]:
    """Return spec 2.4."""
    decided_at = submission.decided_at
    return {
        "id": submission.id,
        "walletAddress": submission.wallet_address,
        "nickname": submission.nickname,
        "status": submission.status,
        "rejectReason": submission.reject_reason,
        "createdAtIso": format_instant(submission.created_at),
        "decidedAtIso": None if decided_at is None else format_instant(decided_at),
    }
