"""Who may use a page, and in which role."""

from dataclasses import dataclass
from datetime import datetime

from embed.db.models import Invitation, Member, Page, Person, Receiver
from embed.domain.roles import MEMBER_ROLES, OWNER, ROLES
from embed.domain.texts import check_choice
from embed.errors import InvalidInput
from embed.events import account_log
from embed.events.editing import COMMAND_LINE, Edit, editing
from embed.events.kinds import PersonFacts
from embed.people.accounts import normalise_email

MAX_PEOPLE = 100  # members and invitations of a page together


@dataclass(frozen=True, slots=True)
class PersonOfPage:
    """The owner of a page, a member, or someone who is invited."""

    email: str
    role: str
    since: datetime  # for an invitation, when it was made
    invited_until: datetime | None = None  # None unless only invited


def find_role(page: Page, person: Person) -> str | None:
    """Return a person's role on a page; None for a stranger."""
    if page.owner_id == person.id:
        return OWNER
    member = Member.get_or_none(Member.page == page, Member.person == person)
    return None if member is None else member.role


def list_people(page: Page, now: datetime) -> list[PersonOfPage]:
    """Return the owner, the members from the highest role to the lowest, and invited people."""
    members = Member.select(Member, Person).join(Person).where(Member.page == page)
    invitations = Invitation.select().where(Invitation.page == page, Invitation.expires_at > now)
    others = [PersonOfPage(one.person.email, one.role, one.created_at) for one in members]
    invited = [
        PersonOfPage(one.email, one.role, one.created_at, one.expires_at) for one in invitations
    ]
    return [
        PersonOfPage(page.owner.email, OWNER, page.created_at),
        *sorted(others, key=_get_place),
        *sorted(invited, key=_get_place),
    ]


def _get_place(one: PersonOfPage) -> tuple[int, str]:
    return -ROLES.index(one.role), one.email


def change_role(
    page_id: str, raw_email: str, role: str, now: datetime, *, actor: str = COMMAND_LINE
) -> str:
    """Give a member another role, and return their address. Raises NotFound, InvalidInput."""
    check_choice(role, MEMBER_ROLES, "role")
    email = normalise_email(raw_email)
    with editing(page_id, actor, now) as edit:
        member = _find_member(edit.page, email)
        if member is None:
            raise _explain_absence(edit.page, email)
        if member.role != role:
            page = edit.page.token_name
            account_log.store(member.person, "role changed", now, actor=actor, page=page, role=role)
            Member.update(role=role).where(Member.id == member.id).execute()
            edit.log("change role", PersonFacts(email, role))
    return email


def remove_person(page_id: str, raw_email: str, now: datetime, *, actor: str = COMMAND_LINE) -> str:
    """Remove a member, from their next request on, and any invitation of the address.

    Returns the address. Raises NotFound, and InvalidInput for the owner and for strangers.
    """
    email = normalise_email(raw_email)
    with editing(page_id, actor, now) as edit:
        is_revoked = _delete_invitation(edit, email)
        member = _find_member(edit.page, email)
        if member is not None:
            person, page = member.person, edit.page.token_name
            if actor == email:
                account_log.store(person, "left a page", now, page=page)
            else:
                account_log.store(person, "removed from a page", now, actor=actor, page=page)
            own_mail = (Receiver.page == edit.page) & (Receiver.person == person)
            Receiver.delete().where(own_mail).execute()
            member.delete_instance()
            edit.log("remove member", PersonFacts(email, member.role))
        elif not is_revoked:
            raise _explain_absence(edit.page, email)
    return email


def revoke_invitation(
    page_id: str, raw_email: str, now: datetime, *, actor: str = COMMAND_LINE
) -> None:
    """Revoke an invitation; a member who was asked to take the page over stays a member.

    Raises NotFound, InvalidInput.
    """
    email = normalise_email(raw_email)
    with editing(page_id, actor, now) as edit:
        if not _delete_invitation(edit, email):
            raise InvalidInput("%(email)s is no longer invited.", email=email)


def _delete_invitation(edit: Edit, email: str) -> bool:
    is_invited = (Invitation.page == edit.page) & (Invitation.email == email)
    is_deleted = bool(Invitation.delete().where(is_invited).execute())
    if is_deleted:
        edit.log("revoke invitation", PersonFacts(email))
    return is_deleted


def _find_member(page: Page, email: str) -> Member | None:
    query = Member.select(Member, Person).join(Person)
    found: Member | None = query.where(Member.page == page, Person.email == email).get_or_none()
    return found


def _explain_absence(page: Page, email: str) -> InvalidInput:
    if email == page.owner.email:
        return InvalidInput("%(email)s owns this page. Transfer it first.", email=email)
    return InvalidInput("%(email)s isn't a member of this page.", email=email)
