"""What owners see of the background work."""

from datetime import timedelta

import pytest

from embed.db.models import Job, Lease
from embed.db.work_status import hold_lease

pytestmark = pytest.mark.slow

NOBODY = "The background work isn't running."
PATH = "/dashboard/background"


def report(world) -> None:
    now = world.clock()
    hold_lease("a", "worker", now, now)
    Lease.update(host="machine.internal", process_id=4711).execute()


def test_owner_is_warned_when_nobody_works(world, owner):
    assert NOBODY in owner.see(PATH)

    report(world)
    assert NOBODY not in owner.see(PATH)

    world.clock.forward(seconds=30)
    assert NOBODY in owner.see(PATH)


def test_owner_sees_what_was_done_when_and_what_failed(world, owner):
    now = world.clock()
    hour = timedelta(hours=1)
    Job.create(
        name="listings", started_at=now, finished_at=now, summary="2 joined.", due_at=now + hour
    )
    Job.create(
        name="balances",
        started_at=now,
        finished_at=now - hour,
        summary="Read 3 balances.",
        failed_at=now,
        failure="No endpoint answers.",
        due_at=now - hour,
    )
    report(world)
    Job.create(name="prune", started_at=now)
    for hidden in ("machine.internal", "4711"):
        assert hidden not in owner.get(PATH).text
    page = owner.see(PATH)

    assert (
        "Wallets that joined or left Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished Jan 31, 2026, 9:30 AM UTC"
        " Next run Jan 31, 2026, 10:30 AM UTC Result: 2 joined."
    ) in page
    assert "Failed Jan 31, 2026, 9:30 AM UTC : No endpoint answers." in page
    assert "Balances that were read before are shown, with their age." in page
    assert "Before: Read 3 balances." in page
    assert (
        "Deletion of old data Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished never Next run running now" in page
    )
