"""Links in messages that decide on a submission, for receivers that may decide.

Each is for one submission and one receiver. Nothing about it is stored until it is used: what it
says is signed, and whether its receiver may still decide is looked up each time.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, get_args

from embed.db.connection import lock_rows
from embed.db.models import Message, Page, Person, Receiver, Submission
from embed.db.used_nonces import use_nonce
from embed.domain.identifiers import make_id
from embed.domain.roles import includes
from embed.domain.signing import Signer
from embed.events.editing import editing
from embed.events.messages import read_data
from embed.notifications.digest import MAX_NAMES
from embed.notifications.receivers import mask_target
from embed.people.members import find_role
from embed.runtime import Runtime

LIFETIME = timedelta(hours=48)
LEAST_ROLE = "reviewer"  # of a person whose own mails decide
_MAX_ACTOR_LENGTH = 254
_PURPOSE = "decide on a submission"

Decision = Literal["approve", "reject"]
Decidable: TypeAlias = tuple[Submission, Mapping[str, str]]


class MayNotDecide(Exception):
    """The receiver of a link is gone or may no longer decide, or its page is gone."""


@dataclass(frozen=True, slots=True)
class DecisionLink:
    submission_id: str
    receiver_id: str
    decision: Decision
    token: str  # shared by both decisions, so that only one of them can be used, once
    expires_at: datetime


def list_decidable(
    receiver: Receiver, messages: Sequence[Message], runtime: Runtime
) -> list[Decidable]:
    """Return the first submissions of these messages that still wait, with links to decide.

    None unless the receiver may decide. Links begin with PUBLIC_URL, so none without it either.
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
    """Return the addresses that approve and reject."""
    token = make_id()
    return {
        decision: f"{runtime.settings.base_url}/dashboard/decide/"
        + runtime.signer.sign(_PURPOSE, (submission.id, receiver.id, decision, token), LIFETIME)
        for decision in get_args(Decision)
    }


def read_link(raw: str, signer: Signer) -> DecisionLink:
    """Raises BadSignature for a link that was not made here, and SignatureExpired."""
    shape: Any = tuple[str, str, Decision, str]
    signed = signer.read(_PURPOSE, raw, shape)
    submission_id, receiver_id, decision, token = signed.value
    return DecisionLink(submission_id, receiver_id, decision, token, signed.expires_at)


def find_actor(receiver: Receiver) -> str | None:
    """Return who decides by a receiver's links, as named in the log; None if nobody may."""
    page: Page = receiver.page
    if not receiver.may_decide or page.deleted_at is not None:
        return None
    person: Person | None = receiver.person
    if person is None:
        return f"channel {mask_target(receiver)}"[:_MAX_ACTOR_LENGTH]
    role = find_role(page, person)
    return person.email if role is not None and includes(role, LEAST_ROLE) else None


def open_link(link: DecisionLink) -> Page:
    """Return the page of a link. Raises MayNotDecide."""
    receiver = Receiver.get_or_none(Receiver.id == link.receiver_id)
    if receiver is None or find_actor(receiver) is None:
        raise MayNotDecide
    page: Page = receiver.page
    return page


@contextmanager
def using(link: DecisionLink, now: datetime) -> Iterator[str]:
    """Use a link up, for a decision that the block makes by the actor that it is given.

    The block is in the same transaction: what it raises leaves the link unused.
    Raises MayNotDecide, and AlreadyUsed if the link, or its counterpart, has decided before.
    """
    with editing(open_link(link).id, "", now):
        # A person's own may be removed or changed without the page's lock.
        query = Receiver.select().where(Receiver.id == link.receiver_id)
        receiver = lock_rows(query, "FOR SHARE").get_or_none()
        actor = None if receiver is None else find_actor(receiver)
        if actor is None:
            raise MayNotDecide
        use_nonce(link.token, link.expires_at)
        yield actor
