"""The public payload of a tracking page (spec 2.1), built once for each version of the page."""

import json
import threading
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from embed.byte_cache import ByteCache
from embed.db.models import Page
from embed.errors import ApiError
from embed.pages import find_page
from embed.serializers import describe_page, describe_tag, describe_wallet, write_json
from embed.wallets.tags import list_tags
from embed.wallets.tracking import list_wallets

WALLETS_PER_PART = 100  # as many as the widget's page shows
MAX_CACHED_BYTES = 64 * 1024 * 1024  # in each process; a page of 50,000 wallets has about 14 MB


@dataclass(frozen=True, slots=True)
class Payload:
    """A page's public data as JSON, of which parts can be read."""

    json: bytes
    details: dict[str, Any]  # all but the wallets
    wallet_count: int
    _parts: tuple[slice, ...]  # of `json`: up to WALLETS_PER_PART wallets each

    def __len__(self) -> int:
        return len(self.json)

    @property
    def part_count(self) -> int:
        return max(1, len(self._parts))

    def read_part(self, number: int) -> list[dict[str, Any]]:
        """Return the wallets of a part, from 1, with exact balances: a float would round them."""
        if not self._parts:
            return []
        part: list[dict[str, Any]] = json.loads(
            b"[%b]" % self.json[self._parts[number - 1]], parse_float=Decimal, parse_int=Decimal
        )
        return part


_cache: ByteCache[tuple[str, int], Payload] = ByteCache(MAX_CACHED_BYTES)
_building = threading.Lock()


def get_payload(page_id: str, version: int) -> Payload:
    """Return a page's payload; `version` is the page's, read in the same request.

    A change increments the version in its own transaction, so a payload cached under the
    version that a request has just read is never outdated. Raises ApiError `not_found`.
    """
    return _cache.get((page_id, version)) or _build_once(page_id)


def _build_once(page_id: str) -> Payload:
    """Build the payload, unless another thread has done so meanwhile; one at a time."""
    with _building:
        page = find_page(page_id)
        if page is None:
            raise ApiError("not_found")
        # Read before the data, so that these are never older than the version.
        key = (page.id, page.version)
        payload = _cache.get(key)
        if payload is None:
            payload = _build(page)
            _cache.set(key, payload)
        return payload


def _build(page: Page) -> Payload:
    tags = list_tags(page)
    wallets = list_wallets(page, tags)
    details = describe_page(page) | {"tags": [describe_tag(tag) for tag in tags]}
    written = bytearray(write_json(details, is_compact=True)[:-1] + b',"wallets":[')
    parts: list[slice] = []
    for start in range(0, len(wallets), WALLETS_PER_PART):
        if parts:
            written += b","
        part = [describe_wallet(one) for one in wallets[start : start + WALLETS_PER_PART]]
        begin = len(written)
        written += write_json(part, is_compact=True)[1:-1]  # without the brackets
        parts.append(slice(begin, len(written)))
    written += b"]}"
    return Payload(bytes(written), details, len(wallets), tuple(parts))
