"""The tracking read at the widget's own address, which answers only what a reader does not have.

The headers under /api are fixed, so these answers are for /embed/api alone.
"""

from flask import Response, request

from embed.public_payload import deltas, payloads
from embed.public_payload.payloads import Payload, PayloadKey
from embed.web.compression import compress_once

DELTA = "wallets"  # the name of the format in A-IM and IM; docs/api.md describes it


def answer_reader(wanted: PayloadKey) -> Response:
    """Answer 304 if the request has the present payload, else what changed, or everything.

    A reader names the payloads that it has by If-None-Match, and that it understands deltas by
    ``A-IM: wallets`` (RFC 3229). A 304 is decided by the page's version, without the payload.
    Raises ApiError `not_found`.
    """
    etag = payloads.get_etag(wanted)
    if request.if_none_match.contains_weak(etag):
        return _finish(Response(status=304), etag)
    payload = payloads.get_payload(wanted)
    delta = _find_delta(wanted.page_id, payload)
    if delta is not None:
        return delta
    response = Response(payload.json, content_type="application/json")
    return _finish(compress_once(response, wanted.page_id, payload.etag), payload.etag)


def _find_delta(page_id: str, payload: Payload) -> Response | None:
    if DELTA not in request.headers.get("A-IM", "").replace(" ", "").split(","):
        return None
    for earlier in request.if_none_match.as_set(include_weak=True):
        delta = deltas.find_delta(page_id, earlier, payload)
        if delta is not None:
            response = Response(delta, status=226, content_type="application/json")
            response.headers["IM"] = DELTA
            response.headers["Delta-Base"] = f'W/"{earlier}"'
            response.cache_control.no_store = True  # few caches know what a delta is
            content_id = f"{earlier} {payload.etag}"
            return _finish(compress_once(response, page_id, content_id), payload.etag)
    return None


def _finish(response: Response, etag: str) -> Response:
    """Add what lets a browser keep the answer, if it asks each time whether it is still right.

    After compression, whose own reading of the request's conditions knows no deltas.
    """
    response.set_etag(etag, weak=True)  # every compression of it has the same tag
    response.cache_control.private = True
    response.cache_control.no_cache = True
    response.vary.add("Accept-Encoding")
    return response
