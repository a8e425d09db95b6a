"""Invitations to a page: a link that works once, for one email address, within a week."""

import secrets
from datetime import datetime, timedelta

from embed import pages
from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.models import Invitation, Member, Page, Person
from embed.domain.identifiers import hash_key
from embed.domain.passwords import hash_password
from embed.domain.roles import OWNER, ROLES
from embed.domain.texts import check_choice, parse_email
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.events.editing import COMMAND_LINE, editing
from embed.events.kinds import PersonFacts
from embed.people.accounts import INSTALLATION_OWNER, create_person
from embed.people.members import MAX_PEOPLE
from embed.people.passwords import judge_password

LIFETIME = timedelta(days=7)


def invite(
    page_id: str, raw_email: str, role: str, now: datetime, *, actor: str = COMMAND_LINE
) -> tuple[Invitation, str]:
    """Return a new invitation and the token of its link, which is not stored.

    It replaces an earlier one to this address, whose link stops working. The role `owner` asks
    someone to take the page over. Raises NotFound, InvalidInput.
    """
    check_choice(role, ROLES, "role")
    email, token = parse_email(raw_email), secrets.token_urlsafe()
    with editing(page_id, actor, now) as edit:
        _check_invited(edit.page, email, role)
        is_replaced = (Invitation.email == email) | (Invitation.expires_at <= now)
        Invitation.delete().where(Invitation.page == edit.page, is_replaced).execute()
        if _count_people(edit.page) >= MAX_PEOPLE:
            raise InvalidInput("A page can have up to %(max)s people.", max=MAX_PEOPLE)
        invitation = Invitation.create(
            page=edit.page,
            email=email,
            role=role,
            invited_by=actor,
            token_hash=hash_key(token),
            created_at=now,
            expires_at=now + LIFETIME,
        )
        edit.log("invite person", PersonFacts(email, role))
        if invited := Person.get_or_none(Person.email == email):
            page = edit.page.token_name
            account_log.store(invited, "invited", now, actor=actor, page=page, role=role)
    return invitation, token


def _check_invited(page: Page, email: str, role: str) -> None:
    if email == INSTALLATION_OWNER:
        raise InvalidInput("%(email)s isn't an email address.", field="email", email=email)
    if email == page.owner.email:
        raise InvalidInput("%(email)s owns this page.", field="email", email=email)
    is_member = Member.select().join(Person).where(Member.page == page, Person.email == email)
    if role != OWNER and is_member.exists():
        raise InvalidInput("%(email)s is already a member.", field="email", email=email)


def _count_people(page: Page) -> int:
    return int(
        Member.select().where(Member.page == page).count()
        + Invitation.select().where(Invitation.page == page).count()
    )


def find_invitation(token: str, now: datetime) -> Invitation | None:
    """Return the invitation of a link, with its page; None if it's used, revoked or expired."""
    query = Invitation.select(Invitation, Page).join(Page)
    found: Invitation | None = query.where(
        Invitation.token_hash == hash_key(token),
        Invitation.expires_at > now,
        Page.deleted_at.is_null(),
    ).get_or_none()
    return found


def build_invitation_url(token: str, base_url: str) -> str:
    return f"{base_url}/dashboard/invitations/{token}"


def accept(token: str, person: Person, now: datetime) -> Page:
    """Give a person what the invitation offers, once, and return the page.

    Raises NotFound, and InvalidInput for a person with another address or a removed one.
    """
    found = find_invitation(token, now)
    if found is None:
        raise NotFound("This link has already been used.")
    if found.email != person.email:
        raise InvalidInput("This invitation is for %(email)s.", email=found.email)
    # Whatever the role, lock the person as a next owner, so that they cannot be removed meanwhile.
    with editing(found.page_id, person.email, now, next_owner_id=person.id) as edit:
        # If it's accepted twice at once, or revoked meanwhile, the row is gone.
        if not Invitation.delete().where(Invitation.id == found.id).execute():
            raise NotFound("This link has already been used.")
        edit.log("accept invitation", PersonFacts(person.email, found.role))
        if found.role == OWNER:
            _hand_over(edit.page, person, now)
        elif edit.page.owner_id != person.id:
            _set_role(edit.page, person, found.role, now)
    return found.page


def sign_up(token: str, password: str, now: datetime, *, host: str) -> Person:
    """Make an account for an invitation's address, and accept the invitation.

    `host` is the service's own. Raises NotFound, and InvalidInput for a bad password or if the
    account exists by now.
    """
    found = find_invitation(token, now)
    if found is None:
        raise NotFound("This link has already been used.")
    if weakness := judge_password(password, found.email, host, [found.page]):
        raise InvalidInput(weakness, field="password")
    password_hash = hash_password(password)  # before the transaction, as it's slow
    with db.atomic():
        person = create_person(found.email, now, password_hash=password_hash, is_guest=True)
        accept(token, person, now)
    return person


def _hand_over(page: Page, person: Person, now: datetime) -> None:
    if page.owner.email != INSTALLATION_OWNER:
        _set_role(page, page.owner, "editor", now)
    pages.update_page(page.id, {"owner": person}, now, actor=person.email)


def _set_role(page: Page, person: Person, role: str, now: datetime) -> None:
    member = Member(page=page, person=person, role=role, created_at=now)
    Member.insert(member.__data__).on_conflict(
        conflict_target=[Member.page, Member.person], update={Member.role: role}
    ).execute()


def prune(now: datetime) -> int:
    """Delete expired invitations, and return how many."""
    return delete_in_batches(Invitation.id, Invitation.expires_at <= now)
