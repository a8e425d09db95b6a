"""Removes an owner; another owner gets their pages."""

from dataclasses import dataclass
from datetime import datetime

from embed import pages
from embed.db.connection import db
from embed.db.models import Page, Person
from embed.errors import InvalidInput
from embed.events.editing import Change, check_owner_is_there, lock_owners
from embed.notifications import receivers
from embed.people import accounts


@dataclass(frozen=True, slots=True)
class Removal:
    owner: Person
    next_owner: Person | None  # None: there were no pages
    pages: list[Page]


def remove_owner(
    raw_email: str, change: Change, *, pages_to: str | None = None, delete_pages: bool = False
) -> Removal:
    """Remove an owner, with their sessions and sign-in links.

    Their pages go to the owner `pages_to`; with `delete_pages` they're marked deleted and go to
    the installation's own owner, as deleted pages always do. So visitors' data isn't lost before a
    page is purged. Raises NotFound, InvalidInput.
    """
    owner = accounts.get_person(raw_email)
    if owner.email == accounts.INSTALLATION_OWNER:
        raise InvalidInput(f"{owner.email} is the installation's own owner and stays.")
    with db.atomic():
        next_owner = _find_next_owner(owner, pages_to, change.now)
        lock_owners(*[each.id for each in (owner, next_owner) if each is not None])
        check_owner_is_there(owner.id)
        own = pages.list_of_owner(owner)
        live = sum(page.deleted_at is None for page in own)
        if live and not (pages_to or delete_pages):
            raise InvalidInput(
                f"{owner.email} still has pages: {live}. Hand them over with --pages-to EMAIL, or"
                " delete them with --delete-pages."
            )
        for page in sorted(own, key=lambda each: each.id):
            if next_owner is None:
                raise InvalidInput(f"{owner.email} has just created a page; try again.")
            _hand_over(page, owner, next_owner, change, delete=delete_pages)
        owner.delete_instance()
    return Removal(owner, next_owner if own else None, own)


def _find_next_owner(owner: Person, pages_to: str | None, now: datetime) -> Person | None:
    """Return who gets the pages, before any owner is locked; None if there are no pages."""
    if pages_to is None:
        return accounts.get_installation_owner(now) if pages.list_of_owner(owner) else None
    next_owner = accounts.get_person(pages_to)
    if next_owner == owner:
        raise InvalidInput("Name another owner for the pages: this one is being removed.")
    return next_owner


def _hand_over(
    page: Page, owner: Person, next_owner: Person, change: Change, *, delete: bool
) -> None:
    """Transfer a page to another owner, without the channel to the former owner's mailbox."""
    for channel in receivers.list_receivers(page.id, "channel"):
        if receivers.mask_target(channel).lower() == owner.email:
            receivers.remove_receiver(channel.id, "channel", change)
    if delete:
        pages.delete_page(page.id, change)
    pages.update_page(page.id, {"owner": next_owner}, change)
