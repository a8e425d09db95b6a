"""STUB of another branch."""

from datetime import datetime
from typing import NamedTuple

from embed.db.models import APPROVED, Page, Submission


class Joined(NamedTuple):
    name: str
    address: str
    at: datetime


def list_joined(page: Page, since: datetime) -> list[Joined]:
    rows = (
        Submission.select()
        .where(
            Submission.page == page, Submission.status.in_(APPROVED), Submission.decided_at >= since
        )
        .order_by(Submission.decided_at.desc())
    )
    return [
        Joined(one.nickname or one.wallet_address[:4], one.wallet_address, one.decided_at)
        for one in rows
    ]
