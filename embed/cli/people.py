"""flask owners and flask people"""

import click

from embed.db.models import Person
from embed.domain.roles import MEMBER_ROLES, ROLES
from embed.maintenance import owner_removal
from embed.pages import get_page
from embed.people import accounts, invitations, members, passwords, sessions
from embed.serializers import describe_owner
from embed.terminal import Group, check_confirmed, confirm_option, print_answer, print_list, runtime
from embed.translations import LANGUAGES

owners = Group("owners", help="People who own tracking pages.")
people = Group("people", help="Who may use a page besides its owner.")


@owners.command("create")
@click.argument("email")
@click.option(
    "--language",
    type=click.Choice(list(LANGUAGES)),
    help="Language of their dashboard and notifications.",
)
def create(email: str, language: str | None) -> None:
    """Create an owner, and print a one-time link to choose a password.

    A person who came by an invitation may create pages from then on.
    """
    guest = accounts.admit_guest(email)
    _print_with_link(guest or accounts.create_person(email, runtime().clock(), language=language))


@owners.command("reset")
@click.argument("email")
def reset(email: str) -> None:
    """Print a one-time link for an owner to choose a new password.

    Its use ends all sessions, and removes passkeys.
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
    """End all sessions of an owner, in every browser; the password stays."""
    owner = accounts.get_person(email)
    print_answer(describe_owner(owner) | {"sessions": sessions.end_all(owner, runtime().clock())})


@owners.command("remove")
@click.argument("email")
@click.option("--pages-to", metavar="EMAIL", help="Hand the owner's pages over to this owner.")
@click.option("--delete-pages", is_flag=True, help="Mark the owner's pages deleted.")
@confirm_option
def remove_owner(email: str, pages_to: str | None, delete_pages: bool, yes: bool) -> None:
    """Remove an owner, whose sessions and one-time links end at once.

    Nothing that visitors sent is removed: deleted pages go to the installation's own owner.
    """
    if pages_to is not None and delete_pages:
        raise click.UsageError("Use either --pages-to or --delete-pages, not both.")
    check_confirmed(yes, "removes the owner")
    removal = owner_removal.remove_owner(
        email, runtime().clock(), pages_to=pages_to, delete_pages=delete_pages
    )
    handed_over = {
        "pageIds": [page.id for page in removal.pages],
        "pagesTo": removal.next_owner and removal.next_owner.email,
    }
    print_answer(describe_owner(removal.owner) | handed_over)


@people.command("list")
@click.argument("page")
def list_people(page: str) -> None:
    """List the owner, the members, and who is invited."""
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
    help="What they may do; owner asks them to take the page over.",
)
def invite(page: str, email: str, role: str) -> None:
    """Invite somebody, and print the link, which works once and for seven days."""
    invitation, token = invitations.invite(page, email, role, runtime().clock())
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
    """Give a member another role."""
    changed = members.change_role(page, email, role, runtime().clock())
    print_answer({"email": changed, "role": role})


@people.command("remove")
@click.argument("page")
@click.argument("email")
def remove(page: str, email: str) -> None:
    """Remove a member, or revoke an invitation."""
    print_answer({"email": members.remove_person(page, email, runtime().clock())})
