"""Counts what becomes of submissions at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from embed.domain.policy import REJECT_REASON_BY_CODE
from embed.errors import ApiError
from embed.metrics import SUBMISSIONS


def count_stored(status: str) -> None:
    SUBMISSIONS.labels(status, "").inc()


@contextmanager
def count_refusals() -> Iterator[None]:
    """Count an ApiError as a soft rejection if it is one of policy's, and let it through."""
    try:
        yield
    except ApiError as refusal:
        reason = REJECT_REASON_BY_CODE.get(refusal.code)
        if reason is None:
            SUBMISSIONS.labels("refused", refusal.code).inc()
        else:
            SUBMISSIONS.labels("soft_rejected", reason).inc()
        raise
