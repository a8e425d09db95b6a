"""Creating many submissions directly in the database."""

from datetime import timedelta

from embed.db.connection import db
from embed.db.models import ApiKey, Submission
from embed.domain.folding import fold_wallet
from embed.domain.identifiers import make_id
from embed.events.editing import bump_version


def add_submissions(world, count: int, status: str = "pending", **fields) -> list[str]:
    """Store `count` submissions, one a minute up to now, and return their ids, oldest first."""
    key = ApiKey.get(ApiKey.page == world.page_id)
    now = world.clock()
    reason = {"rejected": "manual", "soft_rejected": "queue_full"}.get(status)
    rows = []
    for number in range(count):
        sent_at = now - timedelta(minutes=count - number)
        row = {
            "id": make_id(),
            "created_at": sent_at,
            "page": world.page_id,
            "api_key": key,
            "wallet_address": f"{make_id()}{make_id()}",
            "nickname": f"Visitor {number}",
            "status": status,
            "reject_reason": reason,
            "session_id": make_id(),
            "decided_at": None if status == "pending" else sent_at,
        }
        row |= fields
        folded = fold_wallet(row["nickname"], row["wallet_address"])
        rows.append({"folded": folded} | row)
    with db.atomic():
        for start in range(0, count, 1000):
            Submission.insert_many(rows[start : start + 1000]).execute()
        bump_version(world.page_id)  # as deciding does
    return [row["id"] for row in rows]
