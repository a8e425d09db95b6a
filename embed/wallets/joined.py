"""Who joined a page's public list lately: wallets that visitors sent and that were approved."""

from datetime import datetime, timedelta
from typing import NamedTuple

from embed.db.models import APPROVED, IS_VISIBLE, Page, Submission, Wallet
from embed.db.statements import Parameter, Statement
from embed.domain.addresses import shorten_address
from embed.domain.times import from_ms, to_ms

NEW_FOR = timedelta(days=7)  # how long a wallet counts as new


class Joined(NamedTuple):
    name: str  # its alias, else its shortened address
    address: str
    joined_at: datetime  # when it was approved


def list_joined(page: Page, since: datetime) -> list[Joined]:
    """Return the visible wallets that a submission put on the page, approved at `since` or later.

    Newest first. Wallets that the owner entered aren't among them.
    """
    rows = _LIST_JOINED.execute(page_id=page.id, since=to_ms(since))
    return [
        Joined(alias or shorten_address(address), address, from_ms(decided_at))
        for alias, address, decided_at in rows
    ]


_LIST_JOINED = Statement(
    Submission.select(Wallet.public_alias, Wallet.address, Submission.decided_at)
    .join(Wallet, on=Wallet.submission == Submission.id)
    .where(
        Submission.page == Parameter("page_id"),
        Submission.status.in_(APPROVED),
        Submission.decided_at >= Parameter("since"),
        IS_VISIBLE,
    )
    .order_by(Submission.decided_at.desc(), Submission.id)
)
