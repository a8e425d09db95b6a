"""What a scrape asks of the database."""

import math
from datetime import timedelta

import pytest
from support.many_submissions import add_submissions
from support.world import USDC, Visitor

from embed.db.models import ChainBalance, Delivery, Job, Message, Receiver, Token, Wallet
from embed.db.work_status import LEASE, hold_lease, report_backup
from embed.gauges import read_gauges

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

HOUR = timedelta(hours=1)


@pytest.fixture
def gauges(world, clock):
    def read(*, has_chain: bool = True) -> dict[str, float]:
        """Return the gauges that are not 0, without the prefix and without the missing backup."""
        found = read_gauges(clock(), has_chain=has_chain)
        if found["embed_backup_age_seconds"] == math.inf:
            del found["embed_backup_age_seconds"]
        return {name.removeprefix("embed_"): value for name, value in found.items() if value}

    return read


def add_receiver(world, **fields) -> Receiver:
    target = "mailto:a@example.com"
    fields |= {"kind": "channel", "target": target, "created_at": world.clock()}
    return Receiver.create(page=world.page_id, **fields)


def add_delivery(world, receiver: Receiver, state: str = "waiting", *, age: timedelta) -> None:
    message = Message.create(
        page=world.page_id, type="queue.filling", data="{}", created_at=world.clock() - age
    )
    Delivery.create(message=message, receiver=receiver, state=state)


def add_balance(world, address: str, *, age: timedelta) -> None:
    ChainBalance.create(
        mint=USDC,
        address=address,
        token_account=address,
        amount=1,
        slot=1,
        observed_at=world.clock() - age,
    )


def test_pending_submissions_are_counted_with_the_age_of_the_oldest(world, gauges):
    add_submissions(world, 3)
    add_submissions(world, 5, "rejected")
    assert gauges() == {"submissions_pending": 3, "submissions_pending_age_seconds": 180}

    world.delete_page()  # on which they wait for nobody
    assert gauges() == {}


def test_waiting_deliveries_are_counted_and_late_since_they_are_due(world, gauges):
    receiver = add_receiver(world)
    add_delivery(world, receiver, "delivered", age=9 * HOUR)
    add_delivery(world, receiver, age=2 * HOUR)
    add_delivery(world, receiver, age=HOUR)

    assert gauges() == {"deliveries_waiting": 2, "deliveries_late_seconds": 7200}


def test_delivery_that_failed_is_late_only_since_its_next_attempt_is_due(world, clock, gauges):
    receiver = add_receiver(world, failed_attempts=1, next_attempt_at=clock() + HOUR)
    add_delivery(world, receiver, age=9 * HOUR)
    assert gauges() == {"deliveries_waiting": 1}

    clock.now += HOUR + timedelta(minutes=1)

    assert gauges() == {"deliveries_waiting": 1, "deliveries_late_seconds": 60}


def test_oldest_balance_is_that_of_a_tracked_wallet(world, gauges):
    tracked, other, unread = (Visitor().address for _ in range(3))
    world.track(tracked)
    add_balance(world, tracked, age=2 * HOUR)
    add_balance(world, other, age=9 * HOUR)
    world.track(unread)
    Wallet.update(created_at=world.clock() - HOUR).where(Wallet.address == unread).execute()

    assert gauges()["balances_age_seconds"] == 7200
    assert gauges(has_chain=False) == {}


@pytest.mark.parametrize("reason", ["its mint was refused", "its page was deleted"])
def test_balance_that_is_not_read_any_more_is_not_old(world, clock, gauges, reason):
    world.track(Visitor().address)
    clock.now += HOUR
    assert gauges() == {"balances_age_seconds": 3600}  # never read, and tracked for so long
    if reason == "its page was deleted":
        world.delete_page()
    else:
        Token.create(mint=USDC, problem="There is no such mint.")

    assert gauges() == {}


def test_backup_is_as_old_as_its_beginning_and_without_any_infinitely_old(clock, gauges):
    assert read_gauges(clock(), has_chain=True)["embed_backup_age_seconds"] == math.inf
    for _ in range(2):
        report_backup(clock() - HOUR, clock())

    assert gauges() == {"backup_age_seconds": 3600}


def test_failing_jobs_and_whether_anybody_works_are_told(clock, gauges):
    Job.create(name="prune", failed_at=clock(), failure="It failed.")
    Job.create(name="listings", finished_at=clock())
    hold_lease("a", "worker", clock(), clock())
    assert gauges() == {"background_tasks_failing": 1, "background_processes": 1}

    clock.now += LEASE

    assert gauges() == {"background_tasks_failing": 1}
