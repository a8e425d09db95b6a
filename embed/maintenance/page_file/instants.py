"""No instant of a page's file is taken that has not come yet, unless it is a deadline."""

from datetime import datetime, timedelta
from typing import Any

from embed.db.fields import InstantField
from embed.db.models import Receiver, RefusalCount, UsedNonce
from embed.db.used_nonces import KEPT_AFTER_EXPIRY, KEPT_AFTER_WITHDRAWAL
from embed.domain.times import CLOCKS_DIFFER_BY, count_days, format_instant
from embed.maintenance.page_file.tables import Columns, Table
from embed.notifications.delivery import LONGEST_WAIT
from embed.notifications.receivers import SECRET_OVERLAP

# How far ahead deadlines lie at most. All other instants are of what has happened.
_LONGEST: dict[Any, timedelta] = {
    Receiver.next_attempt_at: LONGEST_WAIT,
    Receiver.previous_secret_expires_at: SECRET_OVERLAP,
    UsedNonce.expires_at: KEPT_AFTER_WITHDRAWAL + KEPT_AFTER_EXPIRY,
}


def limit_instants(table: Table, columns: Columns, now: datetime) -> None:
    """Set what the clock of the other installation was ahead by to the latest that can be.

    Raises ValueError for what is later than clocks differ by.
    """
    for name, field in table.columns.items():
        instant = columns[field.name]
        if not isinstance(field, InstantField) or instant is None:
            continue
        latest = now + _LONGEST.get(field, timedelta())
        if instant > latest + CLOCKS_DIFFER_BY:
            raise ValueError(
                f"{name} lies {'too far ' if field in _LONGEST else ''}in the future:"
                f" {format_instant(instant)}, while the clock here says {format_instant(now)}."
            )
        columns[field.name] = min(instant, latest)
    if table.model is RefusalCount and columns["day"] > count_days(now + CLOCKS_DIFFER_BY):
        raise ValueError("day lies in the future, so it would never be deleted.")
