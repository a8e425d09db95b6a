"""Withdrawing a wallet: its holder has the page erase what was submitted for it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from peewee import Value, fn

from embed.db.batches import in_batches
from embed.db.models import (
    Activity,
    Listing,
    Message,
    Page,
    Receiver,
    Submission,
    Wallet,
    Withdrawal,
)
from embed.db.used_nonces import keep_used, revoke_nonces, use_nonce
from embed.domain.nonces import Nonce, RecordNonce
from embed.domain.times import format_instant
from embed.errors import ApiError, InvalidInput, NotFound
from embed.events.editing import Change, Edit, editing
from embed.events.kinds import ErasureFacts, WithdrawalFacts, read_facts
from embed.events.messages import lock_receivers
from embed.runtime import Runtime
from embed.schemas import WithdrawnWallet
from embed.serializers import write_json
from embed.submissions.erasure import erase_details
from embed.wallets.tracking import remove_submitted_wallets

ACTOR = "visitor"

_RETRY_AFTER = timedelta(seconds=1)


def withdraw(nonce: RecordNonce, runtime: Runtime) -> WithdrawnWallet:
    """Erase what was submitted for a wallet whose holder signed the nonce's message.

    Raises ApiError `invalid_nonce`, `page_not_found`, `unavailable`.
    """
    try:
        with editing(nonce.page_id, runtime.change(ACTOR)) as edit:
            if edit.page.deleted_at is not None:
                raise ApiError("page_not_found")
            use_nonce(nonce.token, nonce.expires_at)
            # A refused request isn't stored, so its signature could be sent again.
            token = Nonce.make_wallet_token(nonce.page_id, nonce.wallet_address)
            revoke_nonces(token, nonce.expires_at)
            return _withdraw(edit, nonce)
    except NotFound:  # purged meanwhile
        raise ApiError("page_not_found") from None
    except InvalidInput:  # handed to another owner meanwhile
        raise ApiError("unavailable", retry_after=_RETRY_AFTER) from None


def _withdraw(edit: Edit, nonce: RecordNonce) -> WithdrawnWallet:
    page, address = edit.page, nonce.wallet_address
    sent = _list_sent(nonce)
    wallet = Wallet.get_or_none(Wallet.page == page, Wallet.address == address)
    stays_listed = wallet is not None and not _is_withdrawn_with(wallet, sent)
    has_left_list = False
    if wallet is not None and not stays_listed:
        has_left_list = not (wallet.is_withdrawn and wallet.is_hidden)  # it had left already
        remove_submitted_wallets(Wallet.id == wallet.id)
    erase_traces(
        page,
        address,
        erased_by="holder",
        nicknames={one.nickname for one in sent},
        stays_listed=stays_listed,
        before=_find_sent_again(nonce),
    )
    _erase(sent, edit.change)
    reported = leave_out_soft_rejections(sent)
    report_withdrawn(edit, reported, wallet)
    if has_left_list and not reported:
        # The owner showed a wallet that had been withdrawn while hidden.
        edit.log("erase wallet", ErasureFacts())
    return WithdrawnWallet(
        withdrawn_submissions=len(sent), left_list=has_left_list, stays_listed=stays_listed
    )


def _is_withdrawn_with(wallet: Wallet, sent: Sequence[Submission]) -> bool:
    """Tell whether one of these submissions, or a withdrawn one, put the wallet on the page."""
    return wallet.is_withdrawn or wallet.submission_id in {one.id for one in sent}


def erase_traces(
    page: Page,
    address: str,
    *,
    erased_by: Literal["holder", "operator"],
    nicknames: Collection[str] = (),
    stays_listed: bool = False,
    before: datetime | None = None,
) -> None:
    """Erase what names the wallet, apart from its submissions and its place on the list.

    If the wallet `stays_listed`, what the owner did with their own entry is kept. So is what
    happened since `before`.
    """
    entries = (Activity.page == page) & (Activity.address == address)
    messages = (Message.page == page) & (Message.address == address)
    listings = (Listing.page == page) & (Listing.address == address)
    if before is not None:
        entries &= Activity.created_at < before
        messages &= Message.created_at < before
    if stays_listed:
        listings &= Listing.left_at.is_null(False) & Listing.name.in_(list(nicknames))
    erased = [
        one.id
        for one in Activity.select(Activity.id, Activity.data).where(entries)
        if not stays_listed or _names_holder(read_facts(one.data), nicknames)
    ]
    data = write_json({"erasedBy": erased_by}, is_compact=True).decode()
    for batch in in_batches(erased):
        Activity.update(data=data, address=None).where(Activity.id.in_(batch)).execute()
    lock_receivers(Receiver.page == page)  # before their deliveries, deleted with the messages
    Message.delete().where(messages).execute()
    Listing.delete().where(listings).execute()


def _names_holder(facts: Mapping[str, Any], nicknames: Collection[str]) -> bool:
    """Tell whether an entry is about a submission, or its alias is one of the nicknames."""
    return "nickname" in facts or any(facts.get("publicAlias") == one for one in nicknames)


def _list_sent(nonce: RecordNonce) -> list[Submission]:
    """Return the wallet's submissions sent by the time the message was issued, oldest first.

    So a signed request that was held back can't withdraw later ones. Rejections that were already
    withdrawn are left out.
    """
    is_withdrawn = Withdrawal.select(Value(1)).where(Withdrawal.submission_id == Submission.id)
    return list(
        Submission.select()
        .where(
            Submission.page == nonce.page_id,
            Submission.wallet_address == nonce.wallet_address,
            Submission.created_at <= nonce.issued_at,
            ~fn.EXISTS(is_withdrawn),
        )
        .order_by(Submission.created_at, Submission.id)
    )


def _find_sent_again(nonce: RecordNonce) -> datetime | None:
    """Return when the wallet was first submitted after the message was issued, or None."""
    first: datetime | None = (
        Submission.select(fn.MIN(Submission.created_at))
        .where(
            Submission.page == nonce.page_id,
            Submission.wallet_address == nonce.wallet_address,
            Submission.created_at > nonce.issued_at,
        )
        .scalar()
    )
    return first


def leave_out_soft_rejections(submissions: Sequence[Submission]) -> list[Submission]:
    """Return those whose withdrawal is reported: soft rejections are only the visitor's to see."""
    return [one for one in submissions if one.status != "soft_rejected"]


def _erase(sent: Sequence[Submission], change: Change) -> None:
    """Delete submissions, but keep what the cooldown and trust need to know of rejections.

    Otherwise withdrawing would be a way around a rejection.
    """
    kept = [one for one in sent if one.status == "rejected"]
    for batch in in_batches(kept):
        erase_details(batch, reason_code=None)
    delete_sent([one for one in sent if one.status != "rejected"], change)


def report_withdrawn(edit: Edit, submissions: Sequence[Submission], wallet: Wallet | None) -> None:
    """Store and report which submissions were withdrawn; `wallet` is the one on the list."""
    for batch in in_batches(submissions):
        Withdrawal.insert_many(
            [
                {"submission_id": one.id, "page": edit.page, "withdrawn_at": edit.change.now}
                for one in batch
            ]
        ).execute()
    for one in submissions:
        has_left = wallet is not None and wallet.submission_id == one.id
        sent_at, withdrawn_at = format_instant(one.created_at), format_instant(edit.change.now)
        facts = WithdrawalFacts(one.id, one.status, sent_at, withdrawn_at, left_list=has_left)
        edit.log("withdraw submission", facts)


def delete_sent(sent: Sequence[Submission], change: Change) -> None:
    """Delete submissions with their proofs; their nonces stay used."""
    nonces = (one.nonce for one in sent if one.nonce is not None)
    keep_used(nonces, change.now, change.settings.nonce_lifetime)
    for batch in in_batches(sent):
        Submission.delete().where(Submission.id.in_(batch)).execute()
