"""What changed between two payloads of a page, for readers who have the earlier one.

A delta has the form of the payload, except that `wallets` also contains pairs of numbers:
``[3, 10]`` stands for the earlier payload's wallets 3 to 9, counted from 0.
"""

import threading
from collections.abc import Iterator
from operator import itemgetter

from embed.byte_cache import ByteCache
from embed.public_payload.payloads import Payload, find_earlier

MAX_CACHED_BYTES = 16 * 1024 * 1024  # in each process
WORTH_IT = 0.5  # a delta of more than this part of the payload is not sent

_cache: ByteCache[tuple[str, str, str], bytes] = ByteCache(MAX_CACHED_BYTES, itemgetter(0))
_comparing = threading.Lock()


def find_delta(page_id: str, earlier_etag: str, payload: Payload) -> bytes | None:
    """Return the delta from the payload that had this entity tag.

    None if this process does not keep that payload, or if the delta is not much smaller than
    the payload. It is made once for each pair of payloads, however many ask at once.
    """
    key = (page_id, earlier_etag, payload.etag)
    delta = _cache.get(key)
    if delta is None:
        with _comparing:
            delta = _cache.get(key)
            if delta is None:
                earlier = find_earlier(page_id, earlier_etag)
                if earlier is None:
                    return None
                delta = make_delta(earlier, payload)
                is_worth_it = len(delta) <= WORTH_IT * len(payload.json)
                delta = delta if is_worth_it else b""
                _cache.set(key, delta)
    return delta or None


def make_delta(earlier: Payload, later: Payload) -> bytes:
    """Return JSON from which, and from the earlier payload, the later one can be made exactly."""
    places = {wallet: place for place, wallet in enumerate(earlier.list_wallets())}
    return b"%b%b]}" % (later.head, b",".join(_list_pieces(places, later.list_wallets())))


def _list_pieces(places: dict[bytes, int], wallets: list[bytes]) -> Iterator[bytes]:
    """Yield wallets that are new or changed, and the ranges of places in which the others were."""
    start = end = 0
    for wallet in wallets:
        place = places.get(wallet)
        if place != end and start < end:
            yield b"[%d,%d]" % (start, end)
            start = end = 0
        if place is None:
            yield wallet
            continue
        if start == end:
            start = place
        end = place + 1
    if start < end:
        yield b"[%d,%d]" % (start, end)
