"""Who may use a page: its members, invitations, and handing it over."""

import math

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from limits import parse
from wtforms import EmailField, RadioField
from wtforms.validators import InputRequired, Length

from embed.db.models import Invitation, Page
from embed.domain.concurrency import Busy, ConcurrencyLimit
from embed.domain.roles import DESCRIPTION_BY_ROLE, MEMBER_ROLES, NAME_BY_ROLE, ROLES
from embed.domain.texts import isolate
from embed.errors import NotFound
from embed.notifications import mail, own_mail
from embed.notifications.digest import add_reason, write_invitation
from embed.notifications.mail import is_mailbox
from embed.notifications.targets import Outcome
from embed.people import accounts, invitations, members
from embed.web import rate_limits
from embed.web.current import own_host, own_origin, runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.responses import (
    Choices,
    Form,
    ask_if_sure,
    name_page,
    redirect_to,
    render,
    render_mistake,
    show_mistakes,
)
from embed.web.dashboard.routes import ANYBODY, FORM, page_route, route
from embed.web.dashboard.sign_in import PasswordForm, begin_session
from embed.web.languages import gettext, lazy_gettext, ngettext

HELP = "owners#people"
INVITATIONS_PER_PERSON = parse("20/day")
_mailing = ConcurrencyLimit(2)  # a mail server may take a minute
DEAD_INVITATION = lazy_gettext(
    "This invitation has been used or revoked, or is older than seven days. Ask for a new one."
)


_ROLES: Choices = {role: lazy_gettext(NAME_BY_ROLE[role]) for role in ROLES}


class InvitationForm(Form):
    email = EmailField(lazy_gettext("Email"), [InputRequired(), Length(max=254)])
    role = RadioField(
        lazy_gettext("Role"),
        choices=_ROLES,
        default="reviewer",
    )


@page_route("/settings/people", needs="owner", confirms=True, help=HELP)
def list_people(page: Page) -> ResponseReturnValue:
    form = InvitationForm(None, role=request.args.get("role", "reviewer"))
    return _render_people(page, form)


@page_route(
    "/settings/people", methods=["POST"], needs="owner", confirms=True, help=HELP, keeps_text=True
)
def invite_person(page: Page) -> ResponseReturnValue:
    """Create an invitation and show its link in this response, so no other address has it."""
    form, actor = InvitationForm(), current_person()
    if not form.validate_on_submit():
        return _render_people(page, form)
    if wait := rate_limits.find_wait("invitation", INVITATIONS_PER_PERSON, actor.id):
        hours = math.ceil(wait.total_seconds() / 3600)
        form.email.errors = [
            ngettext(
                "You've made many invitations. Please wait %(hours)s hour.",
                "You've made many invitations. Please wait %(hours)s hours.",
                hours,
                hours=hours,
            )
        ]
        return _render_people(page, form, status=429)
    with show_mistakes(form):
        invitation, token = invitations.invite(
            page.id, form.email.data or "", form.role.data, current_change()
        )
        return _show_made(page, invitation, token)
    return _render_people(page, form)


def _show_made(page: Page, invitation: Invitation, token: str) -> ResponseReturnValue:
    link = invitations.build_invitation_url(token, own_origin())
    return render(
        "invitation_made.html",
        page=page,
        invitation=invitation,
        role_name=gettext(NAME_BY_ROLE[invitation.role]),
        link=link,
        mailed=_mail(invitation, link),
        status=201,
        shows_secret=True,
    )


def _mail(invitation: Invitation, link: str) -> str | None:
    """Email the link if there's a mail server, and return a sentence about the result."""
    if runtime().settings.smtp_url is None or not is_mailbox(invitation.email):
        return None
    role = gettext(NAME_BY_ROLE[invitation.role])
    stop_link = own_mail.build_link(invitation, runtime(), own_origin())
    digest = add_reason(
        write_invitation(invitation, role, link, gettext), current_person(), stop_link, asked=False
    )
    try:
        with _mailing:
            outcome = mail.send(invitation.email, digest, runtime().settings)
    except Busy:
        outcome = Outcome(False, "the mail server is slow")
    if outcome.is_delivered:
        return gettext("The link has been emailed to %(email)s.", email=invitation.email)
    return gettext(
        "The link couldn't be emailed (%(answer)s). Send it yourself.", answer=outcome.answer
    )


@page_route("/settings/people/role", methods=["POST"], needs="owner", confirms=True)
def change_role(page: Page) -> ResponseReturnValue:
    email, role = request.form.get("email", ""), request.form.get("role", "")
    members.change_role(page.id, email, role, current_change())
    return redirect_to("list_people", gettext("Saved."), page)


@page_route("/settings/people/revoke", methods=["POST"], needs="owner", confirms=True)
def revoke_invitation(page: Page) -> ResponseReturnValue:
    email = request.form.get("email", "")
    members.revoke_invitation(page.id, email, current_change())
    return redirect_to("list_people", gettext("The invitation has been revoked."), page)


@page_route("/settings/people/remove", methods=["POST"], needs="owner", confirms=True)
def remove_person(page: Page) -> ResponseReturnValue:
    email = request.form.get("email", "")
    if asked := ask_if_sure(
        gettext("Remove %(name)s?", name=isolate(email.strip())),
        gettext("They need a new invitation to come back."),
        button=gettext("Remove"),
        back=url_for("dashboard.list_people", page_id=page.id),
        page=page,
    ):
        return asked
    members.remove_person(page.id, email, current_change())
    said = gettext("%(email)s can no longer use this page.", email=email.strip())
    return redirect_to("list_people", said, page)


@page_route("/leave", methods=["POST"], needs="viewer")
def leave_page(page: Page) -> ResponseReturnValue:
    person = current_person()
    if asked := ask_if_sure(
        gettext("Leave %(page)s?", page=name_page(page)),
        gettext("You need a new invitation to come back."),
        button=gettext("Leave"),
        back=url_for("dashboard.list_pages"),
    ):
        return asked
    members.remove_person(page.id, person.email, current_change())
    return redirect_to("list_pages", gettext("You have left %(name)s.", name=name_page(page)))


@route("/invitations/<token>", methods=FORM, needs=ANYBODY, help=HELP)
def accept_invitation(token: str) -> ResponseReturnValue:
    """Show an invitation; only the button accepts it, since mail scanners open links."""
    invitation = invitations.find_invitation(token, runtime().clock())
    if invitation is None:
        return render_mistake(DEAD_INVITATION, 404)
    if current_user.is_authenticated:
        return _accept_as_signed_in(token, invitation)
    if accounts.has_account(invitation.email):
        return _render_invitation(invitation, sign_in_to=request.path)
    form = PasswordForm()
    if not form.validate_on_submit():
        return _render_invitation(invitation, form=form)
    with show_mistakes(form):
        try:
            person = invitations.sign_up(
                token, form.password.data or "", current_change(), host=own_host()
            )
        except NotFound:
            return render_mistake(DEAD_INVITATION, 409)
        begin_session(person)
        return _welcome(invitation)
    return _render_invitation(invitation, form=form)


def _accept_as_signed_in(token: str, invitation: Invitation) -> ResponseReturnValue:
    person = current_person()
    if person.email != invitation.email:
        return _render_invitation(invitation, status=409 if request.method == "POST" else None)
    if request.method != "POST":
        return _render_invitation(invitation)
    try:
        invitations.accept(token, person, current_change())
    except NotFound:
        return render_mistake(DEAD_INVITATION, 409)
    return _welcome(invitation)


def _welcome(invitation: Invitation) -> ResponseReturnValue:
    return redirect_to(
        "show_page",
        gettext(
            "You're now a member of the page. Your role: %(role)s.",
            role=gettext(NAME_BY_ROLE[invitation.role]),
        ),
        page_id=invitation.page_id,
    )


def _render_invitation(
    invitation: Invitation,
    *,
    form: PasswordForm | None = None,
    sign_in_to: str | None = None,
    status: int | None = None,
) -> Response:
    return render(
        "invitation.html",
        invitation=invitation,
        role_name=gettext(NAME_BY_ROLE[invitation.role]),
        role_description=gettext(DESCRIPTION_BY_ROLE[invitation.role]),
        form=form,
        sign_in_to=sign_in_to,
        status=status,
    )


def _render_people(page: Page, form: InvitationForm, *, status: int | None = None) -> Response:
    return render(
        "people.html",
        page=page,
        people=members.list_people(page, runtime().clock()),
        form=form,
        role_names={role: gettext(name) for role, name in NAME_BY_ROLE.items()},
        role_descriptions={role: gettext(text) for role, text in DESCRIPTION_BY_ROLE.items()},
        member_roles=MEMBER_ROLES,
        status=status,
    )
