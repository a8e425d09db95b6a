"""The signed-in owner, through whom every route finds what it shows or changes."""

from typing import cast

from flask_login import UserMixin, current_user

from embed import owners, pages
from embed.domain.identifiers import is_id
from embed.domain.passwords import fingerprint
from embed.errors import NotFound
from embed.models import ApiKey, Owner, Page, Submission, Tag, Wallet


class SignedInOwner(UserMixin):
    """An owner as the session knows them: by id and by the fingerprint of their password."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def get_id(self) -> str:
        # A changed password ends every session that was begun with the old one.
        return f"{self.owner.id}.{fingerprint(self.owner.password_hash)}"


def load_owner(session_value: str) -> SignedInOwner | None:
    owner_id, _, made_for = session_value.partition(".")
    owner = owners.find_by_id(owner_id)
    if owner is None or fingerprint(owner.password_hash) != made_for:
        return None
    return SignedInOwner(owner)


def current_owner() -> Owner:
    return cast(SignedInOwner, current_user).owner


def get_own_page(page_id: str, *, deleted: bool = False) -> Page:
    """Return a page of the signed-in owner. Raises NotFound for anything else."""
    page = pages.find_page(page_id) if is_id(page_id) else None
    if page is None or page.owner_id != current_owner().id or (page.deleted_at and not deleted):
        raise NotFound(page_id)
    return page


def _check_id(raw: str) -> None:
    """Raises NotFound for what cannot be an id, which not every database takes for a question."""
    if not is_id(raw):
        raise NotFound(raw)


def get_own_key(page: Page, key_id: str) -> ApiKey:
    """Raises NotFound unless it is a key of the page that owners may see."""
    _check_id(key_id)
    key = ApiKey.get_or_none(ApiKey.id == key_id, ApiKey.page == page, ~ApiKey.is_preview)
    if key is None:
        raise NotFound(key_id)
    return key


def get_own_wallet(page: Page, wallet_id: str) -> Wallet:
    """Raises NotFound unless the page tracks it."""
    _check_id(wallet_id)
    wallet = Wallet.get_or_none(Wallet.id == wallet_id, Wallet.page == page)
    if wallet is None:
        raise NotFound(wallet_id)
    return wallet


def get_own_tag(page: Page, tag_id: str) -> Tag:
    """Raises NotFound unless it is on the page."""
    _check_id(tag_id)
    tag = Tag.get_or_none(Tag.id == tag_id, Tag.page == page)
    if tag is None:
        raise NotFound(tag_id)
    return tag


def get_own_submission(page: Page, submission_id: str) -> Submission:
    """Raises NotFound unless it was sent to the page."""
    _check_id(submission_id)
    submission = Submission.get_or_none(Submission.id == submission_id, Submission.page == page)
    if submission is None:
        raise NotFound(submission_id)
    return submission
