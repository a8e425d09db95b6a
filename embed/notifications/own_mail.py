"""Mails about a page that one of its people asked for; only they can see and stop them.

Each is a receiver with a person, whose address is looked up when a mail is sent. The links that
stop mails are here too, also for addresses that an owner entered.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Invitation, Message, Page, Person, Receiver
from embed.domain.signing import Signer
from embed.errors import InvalidInput, NotFound
from embed.events.editing import Change, editing, lock_page
from embed.events.kinds import ReceiverFacts
from embed.notifications import mail
from embed.notifications.decision_links import list_decidable
from embed.notifications.digest import add_reason, write_digest
from embed.notifications.mail import is_mailbox
from embed.notifications.receivers import (
    CHANNEL_TYPES,
    get_receiver,
    mask_target,
    remove_receiver,
)
from embed.notifications.targets import Outcome
from embed.people.members import find_role, revoke_invitation
from embed.runtime import Runtime
from embed.settings import Settings

LINK_LIFETIME = timedelta(days=365)
_PURPOSE = "mails about a page"


def can_mail(person: Person, settings: Settings) -> bool:
    """Return whether there's a mail server, the person has an address, and links can be made."""
    is_set_up = settings.smtp_url is not None and settings.public_url is not None
    return is_set_up and is_mailbox(person.email)


def find(page: Page, person: Person) -> Receiver | None:
    return Receiver.get_or_none(Receiver.page == page, Receiver.person == person)


def start(page_id: str, person: Person, change: Change) -> None:
    """Start mailing a person what channels get, unless that's already the case.

    Raises InvalidInput, and NotFound if the person isn't on the page or was just removed.
    """
    if not can_mail(person, change.settings):
        raise InvalidInput("This service can't send email to %(email)s.", email=person.email)
    receiver = Receiver(
        page=page_id,
        person=person,
        kind="channel",
        target="",
        event_types=CHANNEL_TYPES,
        created_at=change.now,
    )
    with skip_if_reference_missing(), db.atomic():
        page = lock_page(page_id)  # nobody can be removed while it's locked
        if find_role(page, person) is None:
            raise NotFound(page_id)
        Receiver.insert(receiver.__data__).on_conflict_ignore().execute()


def let_decide(page_id: str, person: Person, may_decide: bool, change: Change) -> None:
    """Let readers of a person's mails decide in that person's name, or stop that immediately.

    Raises NotFound, and InvalidInput if the person gets no mails.
    """
    with editing(page_id, change) as edit:
        # One statement, since the mails may be stopped at any time.
        changed = (
            Receiver.update(may_decide=may_decide)
            .where(
                Receiver.page == edit.page,
                Receiver.person == person,
                Receiver.may_decide != may_decide,
            )
            .execute()
        )
        if changed:
            action = "allow deciding" if may_decide else "end deciding"
            edit.log(action, ReceiverFacts("mail", person.email))
        elif may_decide and find(edit.page, person) is None:
            raise InvalidInput("You don't get emails about this page.")


def stop(page_id: str, person_id: str) -> None:
    """Delete a person's receiver and its pending messages."""
    Receiver.delete().where(Receiver.page == page_id, Receiver.person == person_id).execute()


def send(receiver: Receiver, messages: Sequence[Message], runtime: Runtime) -> Outcome:
    """Mail a receiver's person what happened, if they still have a role on the page."""
    settings = runtime.settings
    reader = Person.get_or_none(Person.id == receiver.person_id)
    if reader is None or find_role(receiver.page, reader) is None:
        stop(receiver.page_id, receiver.person_id or "")
        return Outcome(False, "not sent: the person has left the page", is_final=True)
    if not can_mail(reader, settings):
        return Outcome(False, "this installation has no mail server")
    digest = write_digest(
        receiver.page,
        messages,
        public_url=settings.public_url,
        reader=reader,
        decisions=list_decidable(receiver, messages, runtime),
    )
    link = build_link(receiver, runtime)
    return mail.send(reader.email, add_reason(digest, reader, link, asked=True), settings)


# Links that stop mails


def build_link(cause: Receiver | Invitation, runtime: Runtime, base_url: str | None = None) -> str:
    """Return a link that stops a person's mails about a page, even if they asked again.

    Of another channel, or of an invitation, it stops only this one.
    """
    person_id = cause.person_id if isinstance(cause, Receiver) else None
    named = (cause.page_id, person_id or cause.id)
    token = runtime.signer.sign(_PURPOSE, named, LINK_LIFETIME)
    return f"{base_url or runtime.settings.base_url}/dashboard/mail/{token}"


def read_link(token: str, signer: Signer) -> tuple[str, str]:
    """Return the page's id, and the person's, channel's or invitation's. Raises BadSignature."""
    return signer.read(_PURPOSE, token, tuple[str, str]).value


def stop_by_link(page_id: str, named: str, change: Change) -> None:
    """Stop what `read_link` returned, if there's still something to stop."""
    stop(page_id, named)
    with suppress(NotFound):  # or its page is gone
        channel = get_receiver(named, "channel")
        actor = f"channel {mask_target(channel)}"
        remove_receiver(named, "channel", replace(change, actor=actor))
    invitation = Invitation.get_or_none(Invitation.id == named)
    if invitation is not None:
        with suppress(NotFound, InvalidInput):
            change = replace(change, actor=invitation.email)
            revoke_invitation(page_id, invitation.email, change)
