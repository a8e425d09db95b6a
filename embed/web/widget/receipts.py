"""Receipts: which wallets are proved, what their holders signed, and the page that checks it."""

import re
from functools import cache
from typing import Any

from flask import Response, request

from embed.db.models import Page
from embed.domain.identifiers import is_id
from embed.domain.times import format_instant
from embed.errors import ApiError
from embed.serializers import describe_proof, describe_receipt, write_json
from embed.submissions import proofs
from embed.web.assets import STATIC_DIR
from embed.web.compression import compress
from embed.web.security_headers import hash_source, require_trusted_types
from embed.web.visitor import find_session_id
from embed.web.widget.blueprint import blueprint, get_open_page

MAX_WALLET_IDS = 100  # in one request; others are ignored
CHECK_PAGE = STATIC_DIR / "check-receipts.html"  # one file, which also works from a disk


@blueprint.get("/tracking/<page_id>/proofs")
@compress.compressed()
def read_proofs(page_id: str) -> Response:
    """Return who proved the wallets that ``?wallets=`` lists by their ids.

    Hidden, unknown and unproved wallets are left out. Raises ApiError as the iframe route does.
    """
    _, page = get_open_page(page_id)
    listed = request.args.get("wallets", "").split(",")[:MAX_WALLET_IDS]
    found = proofs.read_visible_proofs(page, [one for one in listed if is_id(one)])
    return _respond({"wallets": {name: describe_proof(proof) for name, proof in found.items()}})


@blueprint.get("/tracking/<page_id>/receipts/<submission_id>")
@compress.compressed()
def read_receipt(page_id: str, submission_id: str) -> Response:
    """Return a receipt of a wallet on the list, or of the visitor's own submission.

    Raises ApiError as the iframe route does, and `not_found`.
    """
    _, page = get_open_page(page_id)
    proof = proofs.find_readable_proof(page, submission_id, find_session_id())
    if proof is None:
        return _respond(_explain_missing(submission_id, page), status=410)
    response = _respond(describe_receipt(proof))
    name = f"receipt-{submission_id}.json"
    response.headers.set("Content-Disposition", "inline", filename=name)
    return response


def _explain_missing(submission_id: str, page: Page) -> dict[str, Any]:
    """Raises ApiError `not_found` unless the submission was withdrawn or erased."""
    withdrawn_at = proofs.find_withdrawn_at(page, submission_id)
    if withdrawn_at is not None:
        return {"error": "receipt_withdrawn", "withdrawnAtIso": format_instant(withdrawn_at)}
    if proofs.is_erased(page, submission_id):
        return {"error": "receipt_erased"}
    raise ApiError("not_found")


def _respond(body: dict[str, Any], *, status: int = 200) -> Response:
    response = Response(write_json(body), status, content_type="application/json")
    response.headers["Cache-Control"] = "private, no-store"
    return response


@blueprint.get("/check-receipts")
@compress.compressed()
def show_receipt_check() -> Response:
    """Return the page that checks receipts without a server; it can't load or send anything."""
    html = _read_check_page()
    response = Response(html)
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = policy.form_action = policy.frame_ancestors = "'none'"
    policy.img_src = "data:"
    policy.script_src = _hash_inline(html, "script")
    policy.style_src = _hash_inline(html, "style")
    require_trusted_types(policy)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)  # the same page may be compressed in different ways
    response.make_conditional(request)
    return response


@cache
def _read_check_page() -> str:
    return CHECK_PAGE.read_text(encoding="utf-8")


@cache
def _hash_inline(html: str, tag: str) -> str:
    """Return the policy's source expression that allows the page's only element of this kind."""
    found = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    return hash_source(found[1] if found else "")
