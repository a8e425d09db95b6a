"""What changed between two payloads: small, exact, and made once."""

import json
import subprocess
import threading
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.absence import find_node
from support.remote import at_once
from support.servers import PROJECT_DIR

from embed.byte_cache import ENTRY_BYTES, ByteCache
from embed.public_payload import deltas, payloads
from embed.public_payload.deltas import find_delta, make_delta
from embed.public_payload.payloads import Payload, write_payload

TAG = {"id": "t1", "name": "team", "color": "blue"}
HOSTILE = '"},{"id":"1",[0,5]]}\u2028\\'

wallets = st.fixed_dictionaries(
    {
        "id": st.integers(0, 12).map(lambda number: f"wallet{number}"),
        "address": st.just("4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"),
        "publicAlias": st.sampled_from([None, "", "Ann", HOSTILE]),
        "tokenBalance": st.sampled_from([Decimal(0), Decimal("1E-7"), Decimal(2**64 - 1)]),
        "tags": st.sampled_from([[], [TAG]]),
    }
)
pages = st.builds(
    lambda title, tags, listed: write_payload(1, {"publicTitle": title, "tags": tags}, listed),
    st.sampled_from([None, "Holders", HOSTILE]),
    st.sampled_from([[], [TAG]]),
    st.lists(wallets, unique_by=lambda one: one["id"], max_size=12),
)


@pytest.fixture(scope="module")
def read_as_widget():
    """Return what the widget's script makes of a delta, and of the whole payload."""
    command = [find_node(), PROJECT_DIR / "tests/js/apply-deltas.js"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as script:

        def read(*texts: bytes) -> list:
            script.stdin.write(json.dumps([text.decode() for text in texts]) + "\n")
            script.stdin.flush()
            return json.loads(script.stdout.readline())

        yield read
        script.stdin.close()


def make_wallet(number: int, **fields: object) -> dict:
    balance = Decimal(number)
    wallet = {"id": f"{number:020}", "address": f"{number:044}", "publicAlias": f"Wallet {number}"}
    return wallet | {"tokenBalance": balance, "tags": [TAG]} | fields


def make_page(listed: list[dict], version: int = 1) -> Payload:
    return write_payload(version, {"publicTitle": None, "tags": [TAG]}, listed)


EMPTY = make_page([])


@pytest.mark.slow
@given(earlier=pages, later=pages)
@example(earlier=EMPTY, later=EMPTY)
def test_earlier_payload_and_delta_make_the_later_one_in_the_widgets_script(
    read_as_widget, earlier, later
):
    made, present = read_as_widget(earlier.json, make_delta(earlier, later), later.json)

    assert made == present


MANY = [make_wallet(number) for number in range(10_000)]
EDITS: dict[str, Callable[[list[dict]], list[dict]]] = {
    "nothing": lambda all_: all_,
    "one added at the top": lambda all_: [make_wallet(20_000), *all_],
    "one added at the end": lambda all_: [*all_, make_wallet(20_000)],
    "one removed": lambda all_: all_[:500] + all_[501:],
    "one renamed": lambda all_: [*all_[:500], make_wallet(500, publicAlias="Ann"), *all_[501:]],
    "one moved": lambda all_: [all_[9_999], *all_[:9_999]],
    "one removed and added again": lambda all_: [*all_[1:], all_[0] | {"id": "x" * 20}],
}


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_small_change_of_many_wallets_is_small(read_as_widget, edit):
    earlier, later = make_page(MANY), make_page(edit(MANY))

    delta = make_delta(earlier, later)

    assert len(delta) < 500
    made, present = read_as_widget(earlier.json, delta, later.json)
    assert made == present


# Which deltas a process makes and keeps


@pytest.fixture
def keep(monkeypatch):
    """Let this process know only the payloads that are kept: ``keep(payload)``."""
    monkeypatch.setattr(payloads, "_cache", ByteCache(10**7))
    monkeypatch.setattr(deltas, "_cache", ByteCache(10**6))
    return lambda one: payloads._cache.set(("page", one.etag), one)


@pytest.fixture
def compared(monkeypatch) -> list[tuple[str, str]]:
    """The payloads that were compared, by their entity tags."""
    seen = []

    def note_and_compare(earlier: Payload, later: Payload) -> bytes:
        seen.append((earlier.etag, later.etag))
        return make_delta(earlier, later)

    monkeypatch.setattr(deltas, "make_delta", note_and_compare)
    return seen


def test_payloads_are_compared_once_however_many_ask_at_once(keep, compared):
    earlier, later = make_page(MANY[:500]), make_page(MANY[:501])
    keep(earlier)

    deltas = at_once([lambda: find_delta("page", earlier.etag, later)] * 8)

    assert deltas == [make_delta(earlier, later)] * 8
    assert compared == [(earlier.etag, later.etag)]


def test_delta_that_is_not_worth_it_is_not_made_again(keep, compared):
    renamed = [one | {"tags": [TAG | {"name": "crew"}]} for one in MANY[:100]]
    earlier, later = make_page(MANY[:100]), make_page(renamed)
    keep(earlier)

    assert [find_delta("page", earlier.etag, later) for _ in range(3)] == [None] * 3
    assert len(compared) == 1


@pytest.mark.parametrize("etag", ["", "unknown", "0" * 32, "x" * 5000])
def test_delta_from_an_unknown_payload_is_neither_made_nor_kept(keep, compared, etag):
    assert find_delta("page", etag, EMPTY) is None
    assert compared == []
    assert deltas._cache.size_bytes == 0


def test_payloads_of_another_page_are_unknown(keep):
    earlier, later = make_page(MANY[:500]), make_page(MANY[:501])
    keep(earlier)

    assert find_delta("other", earlier.etag, later) is None


def test_kept_deltas_are_bounded_by_their_bytes(keep, monkeypatch):
    bound = 5_000 + 10 * ENTRY_BYTES
    cache = ByteCache(bound)
    monkeypatch.setattr(deltas, "_cache", cache)
    for version in range(100):
        earlier, later = make_page(MANY[:50], version), make_page(MANY[:51], version)
        keep(earlier)
        assert find_delta("page", earlier.etag, later)
        assert 0 < cache.size_bytes <= bound


def test_readers_of_a_kept_delta_do_not_wait_while_others_are_made(keep, monkeypatch):
    earlier, later, latest = (make_page(MANY[:count]) for count in (500, 501, 502))
    keep(earlier)
    delta = find_delta("page", earlier.etag, later)
    is_comparing, may_end = threading.Event(), threading.Event()

    def compare_slowly(_earlier: Payload, _later: Payload) -> bytes:
        is_comparing.set()
        assert may_end.wait(30)
        return b"{}"

    monkeypatch.setattr(deltas, "make_delta", compare_slowly)
    other = threading.Thread(target=find_delta, args=("page", earlier.etag, latest))
    other.start()
    assert is_comparing.wait(30)

    assert find_delta("page", earlier.etag, later) is delta
    may_end.set()
    other.join()
