"""What a page's receivers hear of its queue."""

from datetime import datetime

from embed.db.models import Page, Submission
from embed.domain import policy
from embed.events.outbox import send_message
from embed.serializers import describe_submission


def tell_created(page: Page, submission: Submission, now: datetime) -> None:
    """Tell of a new submission, in its transaction, while the page is locked."""
    send_message(page, "submission.created", describe_submission(submission), now)
    if submission.status == "pending":
        tell_if_filling(page, now)


def tell_if_filling(page: Page, now: datetime) -> None:
    """Tell that the queue is filling, if the submission that was just added makes it so."""
    pending = count_pending(page)
    if policy.is_filling(pending, page.queue_capacity):
        capacity = page.queue_capacity
        send_message(page, "queue.filling", {"pending": pending, "queueCapacity": capacity}, now)


def count_pending(page: Page) -> int:
    return (
        Submission.select().where(Submission.page == page, Submission.status == "pending").count()
    )
