"""The iframe routes: a page's list in other sites (docs/embedding.md) or in the setup's preview."""

from flask import Response, request
from flask.typing import ResponseReturnValue

from embed.domain.origins import decide_origin, parse_origin
from embed.domain.times import format_instant
from embed.errors import ApiError
from embed.keys.access import Access, store_use
from embed.wallets.drafts import read_draft
from embed.web.compression import compress, compress_once
from embed.web.current import own_origin, runtime
from embed.web.rate_limits import report_refused_site
from embed.web.security_headers import allow_isolated_hosts
from embed.web.visitor import renew_session
from embed.web.widget.blueprint import (
    blueprint,
    get_open_access,
    get_public_access,
    respond,
    respond_with_part,
)
from embed.web.widget.own import list_own, render_own
from embed.web.widget.page import get_rendered, list_ancestors, render_draft
from embed.web.widget.rows import Edition, read_edition

MAX_SITES = 10  # around a frame, in one request


@blueprint.get("/tracking/<page_id>")
def show_widget(page_id: str) -> Response:
    """Answer with the page's list, and set the session cookie.

    With ``part=rows``, answer only with what changes with the order, filter, search or place that
    the address names, for scripts; with a 304 if the list hasn't changed. Raises ApiError
    `missing_key`, `invalid_key`, `revoked_key`, `not_found`, `embed_disabled`.
    """
    access = get_open_access(page_id)
    edition = read_edition(page_id, access.page_version)
    if request.args.get("part") == "rows":
        return _answer_part(access, edition)
    rendered = get_rendered(access, edition)
    own = [] if rendered.own is None else list_own(page_id)
    html = rendered.insert(render_own(edition, own)) if own else rendered.html
    response = respond(html, ancestors=list_ancestors(access), look=rendered.look)
    allow_isolated_hosts(response)
    # For scripts: the visitor's clock may be wrong, and the page is the same for many.
    response.headers["Server-Timing"] = f'now;desc="{format_instant(runtime().clock())}"'
    _store_site(access)
    renew_session(response)
    return _compress(response, None if own else rendered.digest)


def _answer_part(access: Access, edition: Edition) -> Response:
    if request.if_none_match.contains_weak(edition.etag):
        return Response(status=304)
    rendered = get_rendered(access, edition, is_part=True)
    return _compress(respond_with_part(rendered.html, access), rendered.digest)


def _compress(response: Response, digest: str | None) -> Response:
    return compress_once(response, digest) if digest else compress.after_request(response)


@blueprint.get("/tracking/<page_id>/sites")
def check_sites(page_id: str) -> ResponseReturnValue:
    """Return, for embed.js, the sites around a frame that the key doesn't name, and store them.

    Browsers refuse such a frame, and send only the innermost site to the service.
    """
    access = get_public_access(page_id)
    sites = request.args.getlist("site")[:MAX_SITES]
    refused = [_refuse_site(access, raw_origin=one) for one in sites]
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
    return {"refused": [one for one in refused if one is not None]}, headers


@blueprint.get("/tracking/<page_id>/feed.atom")
def show_feed(page_id: str) -> ResponseReturnValue:
    """Tell feed readers to stop asking; until version 0.7.0, pages had an Atom feed."""
    return "This list no longer has a feed.\n", 410, {"Content-Type": "text/plain; charset=utf-8"}


def _store_site(access: Access) -> None:
    """Store that a site of the key shows the list, or that browsers refuse to on another site."""
    if request.headers.get("Sec-Fetch-Dest") not in ("iframe", "frame"):
        return
    raw_referer = request.headers.get("Referer")
    if raw_referer and parse_origin(raw_referer) in access.origins:
        store_use(access, runtime().clock())
    else:
        _refuse_site(access, raw_referer=raw_referer)


def _refuse_site(
    access: Access, *, raw_origin: str | None = None, raw_referer: str | None = None
) -> str | None:
    """Store and return a site that frame-ancestors doesn't name, or return None if it does."""
    if list_ancestors(access) is None:
        return None
    decision = decide_origin(
        raw_origin=raw_origin,
        raw_referer=raw_referer,
        allowlist=access.origins,
        allows_null=False,
        find_own_origin=own_origin,
    )
    if decision.refused_origin is not None:
        report_refused_site(access.key_id, decision.refused_origin)
    return decision.refused_origin


@blueprint.get("/draft")
def show_draft() -> Response:
    """Show the list that the setup has signed. Raises ApiError `not_found`."""
    draft = read_draft(request.args.get("draft", ""), runtime().signer)
    if draft is None:
        raise ApiError("not_found")
    rendered = render_draft(draft)
    return respond(rendered.html, ancestors="'self'", look=rendered.look)
