"""What owners see of the background work."""

import re
from datetime import timedelta

import pytest

from embed.db.models import Job, Lease
from embed.db.work_status import hold_lease

pytestmark = pytest.mark.slow

NOBODY = "The background work isn't running."
PATH = "/dashboard/background"


def test_owner_is_warned_when_nobody_works(world, owner):
    assert NOBODY in owner.see(PATH)
    hold_lease("a", "worker", world.clock(), world.clock())
    assert NOBODY not in owner.see(PATH)

    world.clock.forward(seconds=30)
    assert NOBODY in owner.see(PATH)


def test_owner_sees_what_was_done_when_and_what_failed_but_not_where(world, owner):
    now, hour = world.clock(), timedelta(hours=1)
    times = {"started_at": now, "finished_at": now}
    Job.create(name="listings", **times, summary="2 joined.", due_at=now + hour)
    failed = {"failed_at": now, "failure": "No endpoint answers.", "due_at": now - hour}
    Job.create(name="balances", **times, summary="Read 3 balances.", **failed)
    Job.create(name="prune", started_at=now)
    hold_lease("a", "worker", now, now)
    Lease.update(host="machine.internal", process_id=4711).execute()

    page = owner.see(PATH)

    assert not re.search("machine.internal|4711", page)
    for said in (
        "Wallets that joined or left Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished Jan 31, 2026, 9:30 AM UTC"
        " Next run Jan 31, 2026, 10:30 AM UTC Result: 2 joined.",
        "Failed Jan 31, 2026, 9:30 AM UTC : No endpoint answers.",
        "Balances that were read before are shown, with their age.",
        "Before: Read 3 balances.",
        "Deletion of old data Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished never Next run running now",
    ):
        assert said in page
