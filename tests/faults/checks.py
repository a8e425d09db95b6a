"""What has to hold of a service that met a fault under a load."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from database import read_rows
from load import CAPACITY, CUT_OFF, Load, at
from support.receivers import HttpReceiver
from support.waiting import wait_for
from support.world import Visitor

NORMAL_WITHIN_S = 20.0  # also on a busy machine; on others, a second or two
LONGEST_RETRY_AFTER_S = 60
AROUND = 12  # submissions of the load before a fault and after it


@dataclass
class Fault:
    """When a fault began and ended, and when a whole submission succeeded again everywhere."""

    began_at: float = 0.0
    ended_at: float = 0.0
    normal_at: float = 0.0


class Stored(NamedTuple):
    """A submission in the database."""

    id: str
    page_id: str
    wallet: str
    status: str
    nonce: str


@contextmanager
def fault_under(load: Load) -> Iterator[Fault]:
    """Make a fault in the block while the load goes on before, meanwhile and after.

    The fault ends with the block, unless the block says when. Fails unless the service is then back
    to normal within NORMAL_WITHIN_S.
    """
    load.wait_for(AROUND)
    fault = Fault(began_at=time.monotonic())
    yield fault
    fault.ended_at = fault.ended_at or time.monotonic()
    for url in load.urls:
        wait_for(lambda url=url: can_submit(load, url))
    fault.normal_at = time.monotonic()
    assert fault.normal_at - fault.ended_at < NORMAL_WITHIN_S
    load.wait_for(AROUND)


def can_submit(load: Load, url: str) -> bool:
    """Tell whether a nonce and a submission succeed; both go on if they only take long."""
    page, visitor = at(load.auto_page, url), Visitor()
    try:
        nonce = page.ask_nonce(visitor)
        if nonce.status_code != 200:
            return False
        load.record.probed.add(visitor.address)
        return page.post(page.draft(visitor, nonce=nonce.json)).status_code == 201
    except CUT_OFF:
        return False


def check_answers(load: Load, *faults: Fault, may_cut_off: bool = False) -> None:
    """Only 503 with Retry-After during the faults, and nothing but normal answers else.

    `may_cut_off`: connections may also end without an answer, as their process was killed.
    """
    assert not load.record.unexpected, load.record.unexpected
    for told in load.record.answers:
        if told.status in (200, 201, 303) or "queue_full" in told.text:
            continue
        if told.is_repeated and told.status not in (None, 503):
            continue  # the first attempt was done, and only its answer was lost: see Load
        assert any(
            told.ended_at >= fault.began_at and told.began_at <= fault.normal_at for fault in faults
        ), told
        if told.status is None:
            assert may_cut_off, told
        else:
            assert told.status == 503, told
            assert told.retry_after is not None, told
            assert 0 < int(told.retry_after) <= LONGEST_RETRY_AFTER_S, told


def check_nothing_lost(load: Load) -> None:
    """What was acknowledged is stored once and as it was told; the queue never held too many."""
    rows = list_stored(load)
    by_wallet = {row.wallet: row for row in rows}
    assert len(by_wallet) == len(rows) == len({row.nonce for row in rows})
    sent = {one.wallet for one in load.record.submitted}
    assert sent <= by_wallet.keys() <= sent | load.record.probed
    for one in load.record.submitted:
        stored = by_wallet[one.wallet]
        assert one.id in (None, stored.id)
        assert stored.page_id == one.page_id
        assert stored.status == load.record.decisions.get(stored.id, one.status)
    listed = [row.wallet for row in rows if row.status in ("approved", "auto_approved")]
    tracked = read_rows(load.database_url, "SELECT address FROM wallet")
    assert Counter(address for (address,) in tracked) == Counter(listed)
    assert 0 < load.record.most_pending <= CAPACITY


def check_deliveries(load: Load, receiver: HttpReceiver) -> None:
    """Every message arrives, and hardly any twice: at most one for each fault."""
    wanted = {id_ for (id_,) in read_rows(load.database_url, "SELECT id FROM message")}
    wait_for(lambda: wanted <= set(receiver.ids))
    waiting = "SELECT count(*) FROM delivery WHERE state != 'delivered'"
    wait_for(lambda: read_rows(load.database_url, waiting) == [(0,)])
    assert wanted == set(receiver.ids)
    assert len(receiver.ids) <= len(wanted) + 1


def list_stored(load: Load) -> list[Stored]:
    query = "SELECT id, page_id, wallet_address, status, nonce FROM submission"
    return [Stored(*row) for row in read_rows(load.database_url, query)]
