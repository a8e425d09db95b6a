"""flask owners"""

import click

from embed.db.models import Person
from embed.maintenance import owner_removal
from embed.people import accounts, passwords, sessions
from embed.serializers import describe_owner
from embed.terminal import Group, check_confirmed, confirm_option, print_answer, print_list, runtime
from embed.translations import LANGUAGES

group = Group("owners", help="People who own tracking pages.")


@group.command("create")
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


@group.command("reset")
@click.argument("email")
def reset(email: str) -> None:
    """Print a one-time link for an owner to choose a new password.

    Its use ends all sessions, and removes passkeys.
    """
    _print_with_link(accounts.get_person(email))


def _print_with_link(owner: Person) -> None:
    link = passwords.build_link(owner, runtime().signer, runtime().settings.base_url)
    print_answer(describe_owner(owner) | {"passwordUrl": link})


@group.command("list")
def list_all() -> None:
    """List all owners."""
    print_list(
        [describe_owner(owner) for owner in accounts.list_people()],
        ("id", "email", "language", "mayCreatePages", "createdAtIso"),
    )


@group.command("sign-out")
@click.argument("email")
def sign_out(email: str) -> None:
    """End all sessions of an owner, in every browser; the password stays."""
    owner = accounts.get_person(email)
    print_answer(describe_owner(owner) | {"sessions": sessions.end_all(owner, runtime().clock())})


@group.command("remove")
@click.argument("email")
@click.option("--pages-to", metavar="EMAIL", help="Hand the owner's pages over to this owner.")
@click.option("--delete-pages", is_flag=True, help="Mark the owner's pages deleted.")
@confirm_option
def remove(email: str, pages_to: str | None, delete_pages: bool, yes: bool) -> None:
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
