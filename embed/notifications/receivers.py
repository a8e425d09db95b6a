"""A page's webhooks and other channels, without the mails that people asked for themselves.

own_mail.py has those.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal

from embed.db.models import Receiver
from embed.errors import InvalidInput, NotFound
from embed.events.editing import Change, Edit, editing, editing_row
from embed.events.kinds import ReceiverFacts
from embed.notifications import channels, webhooks
from embed.notifications.targets import check_reach, check_url
from embed.pages import get_page
from embed.settings import Settings

Kind = Literal["webhook", "channel"]

MAX_RECEIVERS = 20  # per page
SECRET_OVERLAP = timedelta(days=1)  # when the previous secret also signs
# Owners know their own decisions, so channels don't get those unless asked to.
CHANNEL_TYPES = (
    "submission.created",
    "submission.withdrawn",
    "wallet.flagged",
    "queue.filling",
)


def add_webhook(
    page_id: str, raw_url: str, change: Change, *, event_types: Sequence[str] = ()
) -> Receiver:
    """Add a webhook with new secrets; without `event_types` it gets all messages.

    Raises NotFound, InvalidInput.
    """
    url = check_url(raw_url, change.settings, field="target")
    channels.check_is_no_chat(url)
    receiver = Receiver(
        kind="webhook",
        target=url,
        event_types=tuple(dict.fromkeys(event_types)),
        secret=webhooks.make_secret(),
        signing_key=webhooks.make_signing_key(),
        created_at=change.now,
    )
    return _add(receiver, page_id, change)


def add_channel(
    page_id: str,
    service: str,
    raw: Mapping[str, str | None],
    change: Change,
    *,
    event_types: Sequence[str] = (),
    may_decide: bool = False,
) -> Receiver:
    """Add a channel of a service, with its class's fields; `event_types` default to CHANNEL_TYPES.

    `may_decide`: everyone who reads it can decide on submissions by link (decision_links.py).
    Raises NotFound, InvalidInput.
    """
    target = channels.parse_channel(service, raw, change.settings)
    receiver = Receiver(
        kind="channel",
        target=target,
        event_types=tuple(dict.fromkeys(event_types or CHANNEL_TYPES)),
        may_decide=may_decide,
        created_at=change.now,
    )
    _check_deciding(receiver)
    return _add(receiver, page_id, change)


def _add(receiver: Receiver, page_id: str, change: Change) -> Receiver:
    with editing(page_id, change) as edit:
        present = Receiver.select().where(Receiver.page == edit.page, Receiver.person.is_null())
        if present.count() >= MAX_RECEIVERS:
            raise InvalidInput("A page can have at most %(max)s channels.", max=MAX_RECEIVERS)
        receiver.page = edit.page
        receiver.save(force_insert=True)
        _log(edit, "add receiver", receiver)
        if receiver.may_decide:
            _log(edit, "allow deciding", receiver)
    return receiver


def list_receivers(page_id: str, kind: Kind) -> list[Receiver]:
    """Return a page's webhooks or channels, oldest first. Raises NotFound."""
    of_page = (Receiver.page == get_page(page_id)) & (Receiver.kind == kind)
    found = Receiver.select().where(of_page, Receiver.person.is_null())
    return list(found.order_by(Receiver.created_at, Receiver.id))


def get_receiver(receiver_id: str, kind: Kind) -> Receiver:
    """Raises NotFound."""
    is_named = (Receiver.id == receiver_id) & (Receiver.kind == kind)
    receiver = Receiver.get_or_none(is_named, Receiver.person.is_null())
    if receiver is None:
        raise NotFound(f"There is no {kind} {receiver_id}.")
    return receiver


def remove_receiver(receiver_id: str, kind: Kind, change: Change) -> Receiver:
    """Remove a receiver and its pending messages. Raises NotFound."""
    get_receiver(receiver_id, kind)
    with editing_row(Receiver, receiver_id, change) as (edit, receiver):
        _log(edit, "remove receiver", receiver)
        receiver.delete_instance()
    return receiver


def let_decide(channel_id: str, may_decide: bool, change: Change) -> Receiver:
    """Let everyone who reads a channel decide on submissions, or stop that immediately.

    Raises NotFound, InvalidInput.
    """
    get_receiver(channel_id, "channel")
    with editing_row(Receiver, channel_id, change) as (edit, receiver):
        if receiver.may_decide != may_decide:
            receiver.may_decide = may_decide
            _check_deciding(receiver)
            receiver.save(only=[Receiver.may_decide])
            _log(edit, "allow deciding" if may_decide else "end deciding", receiver)
    return receiver


def is_told_of_submissions(channel: Receiver) -> bool:
    """Return whether a channel gets new submissions; only then can its readers decide."""
    return "submission.created" in channel.event_types


def _check_deciding(channel: Receiver) -> None:
    """Raises InvalidInput for a channel whose messages would never have decision links."""
    if channel.may_decide and not is_told_of_submissions(channel):
        raise InvalidInput(
            "This channel doesn't get new submissions, so nobody can decide on them there.",
            field="may_decide",
        )


def rotate_secret(
    receiver_id: str, change: Change, *, at_most_every: timedelta = timedelta()
) -> Receiver:
    """Give a webhook a new secret; the previous one also signs for SECRET_OVERLAP.

    A secret newer than `at_most_every` isn't replaced. Raises NotFound.
    """
    get_receiver(receiver_id, "webhook")
    with editing_row(Receiver, receiver_id, change) as (edit, receiver):
        expires_at = receiver.previous_secret_expires_at
        if expires_at is None or change.now - (expires_at - SECRET_OVERLAP) >= at_most_every:
            receiver.previous_secret = receiver.secret
            receiver.previous_secret_expires_at = change.now + SECRET_OVERLAP
            receiver.secret = webhooks.make_secret()
            # Not the fields that deliveries may be changing.
            receiver.save(
                only=[
                    Receiver.secret,
                    Receiver.previous_secret,
                    Receiver.previous_secret_expires_at,
                ]
            )
            _log(edit, "rotate secret", receiver)
    return receiver


def _log(edit: Edit, action: str, receiver: Receiver) -> None:
    """Log without secrets, since every owner of the page can read the log."""
    edit.log(action, ReceiverFacts(receiver.kind, mask_target(receiver)))


def find_obstacle(receiver: Receiver, settings: Settings) -> InvalidInput | None:
    """Return why nothing can reach a receiver, however often it's sent; None if it may."""
    try:
        if receiver.kind == "webhook":
            check_reach(receiver.target, settings, field="target")
        else:
            channels.read_channel(receiver.target).check(settings)
    except InvalidInput as obstacle:
        return obstacle
    return None


def mask_target(receiver: Receiver) -> str:
    """Return where a receiver's messages are sent, without secrets."""
    if receiver.kind == "webhook":
        return webhooks.mask_url(receiver.target)
    return channels.read_channel(receiver.target).mask()
