"""flask owners and flask people"""

import click

from embed.db.models import Person
from embed.domain.roles import MEMBER_ROLES, ROLES
from embed.maintenance import owner_removal
from embed.pages import get_page
from embed.people import accounts, invitations, members, passwords, sessions
from embed.serializers import describe_owner
from embed.terminal import (
    Group,
    check_confirmed,
    confirm_option,
    current_change,
    print_answer,
    print_list,
    runtime,
)
from embed.translations import LANGUAGES

owners = Group("owners", help="Manage the accounts of owners.")
people = Group("people", help="Manage the members of a page.")


@owners.command("create")
@click.argument("email")
@click.option(
    "--language",
    type=click.Choice(list(LANGUAGES)),
    help="Language of the owner's dashboard and messages.",
)
def create(email: str, language: str | None) -> None:
    """Create an owner.

    It prints a one-time link to choose a password, and sends no email. If the person is a member of
    a page already, they become an owner too, and can create pages.
    """
    guest = accounts.admit_guest(email)
    _print_with_link(guest or accounts.create_person(email, runtime().clock(), language=language))


@owners.command("reset")
@click.argument("email")
def reset(email: str) -> None:
    """Reset an owner's password.

    It prints a one-time link to choose a new password, and sends no email. Using the link signs
    the owner out everywhere and deletes their passkeys.
    """
    _print_with_link(accounts.get_person(email))


def _print_with_link(owner: Person) -> None:
    link = passwords.build_link(owner, runtime().signer, runtime().settings.base_url)
    print_answer(describe_owner(owner) | {"passwordUrl": link})


@owners.command("list")
def list_owners() -> None:
    """List all owners."""
    print_list(
        [describe_owner(owner) for owner in accounts.list_people()],
        ("id", "email", "language", "mayCreatePages", "createdAtIso"),
    )


@owners.command("sign-out")
@click.argument("email")
def sign_out(email: str) -> None:
    """Sign an owner out everywhere.

    The password and passkeys still work.
    """
    owner = accounts.get_person(email)
    print_answer(describe_owner(owner) | {"sessions": sessions.end_all(owner, current_change())})


@owners.command("remove")
@click.argument("email")
@click.option("--pages-to", metavar="EMAIL", help="Transfer the owner's pages to this owner.")
@click.option("--delete-pages", is_flag=True, help="Take the owner's pages offline.")
@confirm_option
def remove_owner(email: str, pages_to: str | None, delete_pages: bool, yes: bool) -> None:
    """Delete an owner's account.

    Their sessions and one-time links stop working immediately. If they have pages, use --pages-to
    or --delete-pages. Pages that you take offline belong to owner@localhost, who can restore them
    for 30 days.
    """
    if pages_to is not None and delete_pages:
        raise click.UsageError("Use either --pages-to or --delete-pages, not both.")
    check_confirmed(yes, "removes the owner")
    removal = owner_removal.remove_owner(
        email, current_change(), pages_to=pages_to, delete_pages=delete_pages
    )
    handed_over = {
        "pageIds": [page.id for page in removal.pages],
        "pagesTo": removal.next_owner and removal.next_owner.email,
    }
    print_answer(describe_owner(removal.owner) | handed_over)


@people.command("list")
@click.argument("page")
def list_people(page: str) -> None:
    """List a page's owner, members and invitations."""
    found = members.list_people(get_page(page), runtime().clock())
    rows = [
        {
            "email": one.email,
            "role": one.role,
            "status": "member" if one.invited_until is None else "invited",
        }
        for one in found
    ]
    print_list(rows, ("email", "role", "status"))


@people.command("invite")
@click.argument("page")
@click.argument("email")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="The new member's role. An owner gets the page on accepting.",
)
def invite(page: str, email: str, role: str) -> None:
    """Invite someone to a page.

    It prints a link that works once, for seven days, and sends no email.
    """
    invitation, token = invitations.invite(page, email, role, current_change())
    print_answer(
        {
            "id": invitation.id,
            "email": invitation.email,
            "role": invitation.role,
            "url": invitations.build_invitation_url(token, runtime().settings.base_url),
        }
    )


@people.command("role")
@click.argument("page")
@click.argument("email")
@click.argument("role", type=click.Choice(MEMBER_ROLES))
def change_role(page: str, email: str, role: str) -> None:
    """Change a member's role."""
    changed = members.change_role(page, email, role, current_change())
    print_answer({"email": changed, "role": role})


@people.command("remove")
@click.argument("page")
@click.argument("email")
def remove(page: str, email: str) -> None:
    """Remove a member, or revoke an invitation."""
    print_answer({"email": members.remove_person(page, email, current_change())})
