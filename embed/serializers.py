"""The JSON of the API (docs/api.md), of the commands and of webhooks."""

import base64
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from embed import schemas
from embed.db.models import (
    ApiKey,
    Block,
    Delivery,
    Page,
    Person,
    Proof,
    Submission,
    Tag,
    TrackedWallet,
)
from embed.domain.amounts import format_amount
from embed.domain.times import format_instant

RECEIPT_FORMAT = "tracking-embed-receipt/1"
RECEIPTS_FORMAT = "tracking-embed-receipts/1"  # many, in one document


def describe_page(page: Page) -> dict[str, Any]:
    return {
        "tokenName": page.token_name,
        "tokenSymbol": page.token_symbol,
        "tokenMint": page.token_mint,
        "publicTitle": page.public_title,
        "publicComments": page.public_comments,
    }


def describe_page_for_owner(page: Page) -> dict[str, Any]:
    """Return the page with its policy and state, as commands print it."""
    return {
        "id": page.id,
        "owner": page.owner.email,
        **describe_page(page),
        "autoApprove": page.auto_approve,
        "minBalance": page.min_balance,
        "queueCapacity": page.queue_capacity,
        "cooldown": page.cooldown_s,
        "trustAfter": page.trust_after,
        "holdingWatch": page.holding_watch,
        "public": page.is_public,
        "embed": page.is_embeddable,
        "createdAtIso": format_instant(page.created_at),
        "deletedAtIso": format_optional(page.deleted_at),
    }


def describe_wallet(wallet: TrackedWallet) -> schemas.Wallet:
    return schemas.Wallet(
        id=wallet.id,
        address=wallet.address,
        public_alias=wallet.public_alias,
        token_balance=write_amount(wallet.token_balance),
        tags=[describe_tag(tag) for tag in wallet.tags],
    )


def describe_wallet_for_owner(wallet: TrackedWallet) -> dict[str, Any]:
    return as_dict(describe_wallet(wallet)) | {
        "tokenBalance": wallet.token_balance,  # as commands print amounts
        "balanceKnown": wallet.known_balance is not None,
        "tags": [describe_tag_for_owner(tag) for tag in wallet.tags],
        "hideFromPublic": wallet.is_hidden,
        "flagged": wallet.is_flagged,
        "withheld": wallet.is_withheld,
    }


def describe_tag(tag: Tag) -> schemas.Tag:
    return schemas.Tag(id=tag.id, name=tag.name, color=tag.color)


def describe_tag_for_owner(tag: Tag) -> dict[str, Any]:
    return as_dict(describe_tag(tag)) | {"counted": tag.is_counted}


def describe_block(block: Block) -> dict[str, Any]:
    """Return an entry of a deny list; without a page, it is for all pages of its owner."""
    return {
        "id": block.id,
        "kind": block.kind,
        "pattern": block.pattern,
        "trackingPageId": block.page_id,
        "createdBy": block.created_by,
        "createdAtIso": format_instant(block.created_at),
    }


def describe_submission(submission: Submission) -> schemas.Submission:
    return schemas.Submission(
        id=submission.id,
        wallet_address=submission.wallet_address,
        nickname=submission.nickname,
        status=submission.status,
        reject_reason=submission.reject_reason,
        created_at_iso=format_instant(submission.created_at),
        decided_at_iso=format_optional(submission.decided_at),
    )


def describe_proof(proof: Proof) -> dict[str, Any]:
    """Return what marks a wallet as proved; `proof` was read with its submission."""
    return {
        "submissionId": proof.submission_id,
        "nickname": proof.submission.nickname,
        "createdAtIso": format_instant(proof.submission.created_at),
    }


def describe_submission_for_owner(submission: Submission) -> dict[str, Any]:
    """Return the submission with the owner's reason, as commands print it and webhooks send it."""
    return as_dict(describe_submission(submission)) | {
        "reasonCode": submission.reason_code,
        "reasonText": submission.reason_text,
    }


def describe_receipt(proof: Proof) -> dict[str, Any]:
    """Return all that is needed to check a proof offline (docs/receipts.md).

    `proof` was read with its submission and page.
    """
    submission = proof.submission
    return {
        "format": RECEIPT_FORMAT,
        "trackingPageId": submission.page_id,
        "tokenMint": submission.page.token_mint,
        "walletAddress": submission.wallet_address,
        "nickname": submission.nickname,
        "message": proof.message,
        "signature": base64.b64encode(proof.signature).decode(),
        "form": proof.form,
        "signedBytes": base64.b64encode(proof.signed_bytes).decode(),
        "createdAtIso": format_instant(submission.created_at),
    }


def describe_key(key: ApiKey) -> dict[str, Any]:
    """Return a key's public details; the key itself is not stored."""
    return {
        "id": key.id,
        "trackingPageId": key.page_id,
        "tier": key.tier,
        "displayPrefix": key.display_prefix,
        "label": key.label,
        "origins": list(key.origins),
        "allowNullOrigin": key.allow_null_origin,
        "createdAtIso": format_instant(key.created_at),
        "revokedAtIso": format_optional(key.revoked_at),
    }


def describe_delivery(delivery: Delivery) -> dict[str, Any]:
    """Return what became of a message; its id is the ``webhook-id``."""
    return {
        "id": delivery.message.id,
        "type": delivery.message.type,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "answer": delivery.answer,
        "createdAtIso": format_instant(delivery.message.created_at),
        "attemptedAtIso": format_optional(delivery.attempted_at),
    }


def describe_owner(owner: Person) -> dict[str, Any]:
    return {
        "id": owner.id,
        "email": owner.email,
        "language": owner.language,
        "mayCreatePages": not owner.is_guest,
        "createdAtIso": format_instant(owner.created_at),
    }


def format_optional(instant: datetime | None) -> str | None:
    return None if instant is None else format_instant(instant)


def as_dict(described: msgspec.Struct | dict[str, Any]) -> dict[str, Any]:
    """Return a Struct as a dict for JSON, with amounts as they were written."""
    fields: dict[str, Any] = msgspec.to_builtins(described, builtin_types=(msgspec.Raw, Decimal))
    return fields


def write_amount(amount: Decimal) -> msgspec.Raw:
    """Write an amount here, since msgspec writes some Decimals with an exponent, such as 1E-7."""
    return msgspec.Raw(format_amount(amount))


def write_json(value: Any, *, is_compact: bool = False) -> bytes:
    """Encode Structs, dicts and lists as JSON, with every amount as an exact plain number.

    On one line, with spaces after colons and commas unless `is_compact`.
    """
    written = _encode(_write_amounts(value))
    return written if is_compact else msgspec.json.format(written, indent=0)


_encode = msgspec.json.Encoder(decimal_format="number").encode


def _write_amounts(value: Any) -> Any:
    """Write the amounts in dicts and lists; Structs have theirs written when they're made."""
    kind = type(value)
    if kind is Decimal:
        return write_amount(value)
    if kind is dict:
        return {name: _write_amounts(one) for name, one in value.items()}
    if kind is list:
        return [_write_amounts(one) for one in value]
    return value
