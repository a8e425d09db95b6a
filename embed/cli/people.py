"""flask people"""

import click

from embed.domain.roles import MEMBER_ROLES, ROLES
from embed.pages import get_page
from embed.people import invitations, members
from embed.terminal import Group, print_answer, print_list, runtime

group = Group("people", help="Who may use a page besides its owner.")


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List the owner, the members, and who is invited."""
    people = members.list_people(get_page(page), runtime().clock())
    rows = [
        {
            "email": one.email,
            "role": one.role,
            "status": "member" if one.invited_until is None else "invited",
        }
        for one in people
    ]
    print_list(rows, ("email", "role", "status"))


@group.command("invite")
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


@group.command("role")
@click.argument("page")
@click.argument("email")
@click.argument("role", type=click.Choice(MEMBER_ROLES))
def change_role(page: str, email: str, role: str) -> None:
    """Give a member another role."""
    changed = members.change_role(page, email, role, runtime().clock())
    print_answer({"email": changed, "role": role})


@group.command("remove")
@click.argument("page")
@click.argument("email")
def remove(page: str, email: str) -> None:
    """Remove a member, or revoke an invitation."""
    print_answer({"email": members.remove_person(page, email, runtime().clock())})
