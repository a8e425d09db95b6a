"""Links that decide on a submission, in messages to receivers that may decide.

Each link is for one submission and one receiver. It's signed, so nothing is stored until it's used;
whether its receiver may still decide is looked up each time.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, get_args

from embed.db.connection import lock_rows
from embed.db.models import Message, Page, Person, Receiver, Submission
from embed.db.used_nonces import use_nonce
from embed.domain.identifiers import make_id
from embed.domain.roles import includes
from embed.domain.signing import Signer
from embed.events.editing import Change, editing
from embed.events.messages import read_data
from embed.notifications.digest import MAX_NAMES
from embed.notifications.receivers import mask_target
from embed.people.members import find_role
from embed.runtime import Runtime

LIFETIME = timedelta(hours=48)
LEAST_ROLE = "reviewer"  # that a person needs to decide by their own mails
_MAX_ACTOR_LENGTH = 254
_PURPOSE = "decide on a submission"

Decision = Literal["approve", "reject"]
Decidable: TypeAlias = tuple[Submission, Mapping[str, str]]


class MayNotDecide(Exception):
    """The link's receiver is gone or may no longer decide, or its page is gone."""


@dataclass(frozen=True, slots=True)
class DecisionLink:
    submission_id: str
    receiver_id: str
    decision: Decision
    token: str  # shared by both links, so only one of them can be used, and only once
    expires_at: datetime


def list_decidable(
    receiver: Receiver, messages: Sequence[Message], runtime: Runtime
) -> list[Decidable]:
    """Return the first submissions in these messages that are still pending, with their links.

    The list is empty if the receiver may not decide, or without PUBLIC_URL, which links need.
    """
    if runtime.settings.public_url is None or find_actor(receiver) is None:
        return []
    created = [
        read_data(one.type, one.data) for one in messages if one.type == "submission.created"
    ]
    ids = list(dict.fromkeys(one.id for one in created if one.status == "pending"))
    rows = Submission.select().where(
        Submission.page == receiver.page, Submission.id.in_(ids), Submission.status == "pending"
    )
    waiting = {one.id: one for one in rows}
    named = [waiting[each] for each in ids if each in waiting][:MAX_NAMES]
    return [(one, build_links(receiver, one, runtime)) for one in named]


def build_links(receiver: Receiver, submission: Submission, runtime: Runtime) -> dict[str, str]:
    token = make_id()
    return {
        decision: f"{runtime.settings.base_url}/dashboard/decide/"
        + runtime.signer.sign(_PURPOSE, (submission.id, receiver.id, decision, token), LIFETIME)
        for decision in get_args(Decision)
    }


def read_link(raw: str, signer: Signer) -> DecisionLink:
    """Raises BadSignature for a link that wasn't made here, and SignatureExpired."""
    shape: Any = tuple[str, str, Decision, str]
    signed = signer.read(_PURPOSE, raw, shape)
    submission_id, receiver_id, decision, token = signed.value
    return DecisionLink(submission_id, receiver_id, decision, token, signed.expires_at)


def find_actor(receiver: Receiver) -> str | None:
    """Return the name in the log for decisions by a receiver's links; None if nobody may decide."""
    page: Page = receiver.page
    if not receiver.may_decide or page.deleted_at is not None:
        return None
    person: Person | None = receiver.person
    if person is None:
        return f"channel {mask_target(receiver)}"[:_MAX_ACTOR_LENGTH]
    role = find_role(page, person)
    return person.email if role is not None and includes(role, LEAST_ROLE) else None


def open_link(link: DecisionLink) -> Page:
    """Return a link's page. Raises MayNotDecide."""
    receiver = Receiver.get_or_none(Receiver.id == link.receiver_id)
    if receiver is None or find_actor(receiver) is None:
        raise MayNotDecide
    page: Page = receiver.page
    return page


@contextmanager
def using(link: DecisionLink, change: Change) -> Iterator[Change]:
    """Use up a link for a decision; the block gets the change by the link's actor, and decides.

    The block is in the same transaction: if it raises, the link stays unused.
    Raises MayNotDecide, and AlreadyUsed if the link or its counterpart was already used.
    """
    with editing(open_link(link).id, change):
        # A person's own mails can be stopped or changed without the page's lock.
        query = Receiver.select().where(Receiver.id == link.receiver_id)
        receiver = lock_rows(query, "FOR SHARE").get_or_none()
        actor = None if receiver is None else find_actor(receiver)
        if actor is None:
            raise MayNotDecide
        use_nonce(link.token, link.expires_at)
        yield replace(change, actor=actor)
