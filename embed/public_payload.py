"""The public payload of a tracking page (spec 2.1)."""

import json
from decimal import Decimal
from functools import lru_cache
from typing import Any

from embed.errors import ApiError
from embed.pages import find_page
from embed.serializers import describe_page, describe_tag, describe_wallet, write_json
from embed.wallets.tags import list_tags
from embed.wallets.tracking import list_wallets


@lru_cache(maxsize=64)
def render_payload(page_id: str, version: int) -> bytes:
    """Return the encoded JSON; `version` is the page's, read in the same request.

    A change increments the version in its own transaction, so a payload cached under the
    version that a request has just read is never outdated. Raises ApiError `not_found`.
    """
    return write_json(build_payload(page_id), is_compact=True)


def read_payload(page_id: str, version: int) -> Any:
    """Return the payload as a new dict. Raises ApiError `not_found`.

    Numbers are read as Decimal: a float would round amounts.
    """
    payload = render_payload(page_id, version)
    return json.loads(payload, parse_float=Decimal, parse_int=Decimal)


def build_payload(page_id: str) -> dict[str, Any]:
    """Read a page's public data. Raises ApiError `not_found`."""
    page = find_page(page_id)
    if page is None:
        raise ApiError("not_found")
    return describe_page(page) | {
        "wallets": [describe_wallet(wallet) for wallet in list_wallets(page)],
        "tags": [describe_tag(tag) for tag in list_tags(page)],
    }
