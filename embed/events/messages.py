"""What the messages of each type hold, as docs/notifications.md describes it.

Writers make it of the same facts as the activity log. It is checked where it comes from a page's
file, and before a message is sent.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from embed.schemas import Json, Submission

_Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
# Only checked, and sent as it was written: a float may round it.
_Amount = Annotated[float, Meta(ge=0)]


class OfPage(Json):
    """What every message holds, and all that a test does."""

    tracking_page_id: str


class SubmissionChanged(Submission, kw_only=True):
    """A submission as it is now."""

    tracking_page_id: str
    # Older messages do not have them.
    reason_code: str | None = None
    reason_text: str | None = None


class SubmissionWithdrawn(OfPage):
    """Names neither the wallet nor its holder."""

    submission_id: str
    status: str  # until then
    created_at_iso: str
    withdrawn_at_iso: str
    left_list: bool


class WalletFlagged(OfPage):
    """A wallet below the minimum balance; `hidden`: off the list until it holds that again."""

    wallet_id: str
    address: str
    public_alias: str | None
    token_balance: _Amount
    min_balance: _Amount
    hidden: bool


class QueueFilling(OfPage):
    pending: _Count
    queue_capacity: _Count


TEST = "test"  # sent on request, to one receiver
DATA_BY_TYPE: Mapping[str, type[OfPage | SubmissionChanged]] = {
    "submission.created": SubmissionChanged,
    "submission.decided": SubmissionChanged,
    "submission.withdrawn": SubmissionWithdrawn,
    "wallet.flagged": WalletFlagged,
    "queue.filling": QueueFilling,
    TEST: OfPage,
}
MESSAGE_TYPES = tuple(each for each in DATA_BY_TYPE if each != TEST)  # that a receiver may choose


def read_data(message_type: str, data: str) -> Any:
    """Return the data of a message, which are stored as JSON, as the Struct of its type.

    Raises ValueError unless they are what its type has.
    """
    if message_type not in DATA_BY_TYPE:
        raise ValueError(f"There are no messages of the type {message_type}.")
    try:
        return msgspec.json.decode(data, type=DATA_BY_TYPE[message_type])
    except RecursionError:
        raise ValueError("The data are nested too deeply.") from None
