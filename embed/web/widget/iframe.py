"""The iframe route: a page's list of wallets, embedded in other sites (docs/embedding.md)."""

from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.http import quote_etag

from embed.balances.history import has_history
from embed.balances.tokens import find_supply
from embed.domain.amounts import find_share
from embed.domain.origins import decide_origin, parse_origin
from embed.keys.access import Access
from embed.public_payload.payloads import Payload, get_payload
from embed.schemas import Tag
from embed.serializers import as_dict, describe_proof, describe_submission
from embed.submissions import queries
from embed.submissions.proofs import read_visible_proofs
from embed.web.compression import compress
from embed.web.current import own_origin, runtime
from embed.web.look import read_look
from embed.web.rate_limits import report_refused_site
from embed.web.security_headers import allow_isolated_hosts
from embed.web.snippets import build_link, build_path
from embed.web.visitor import find_session_id, renew_session
from embed.web.widget.blueprint import blueprint, get_open_page, get_public_access, respond

# What an owner's look may name: what a link to it says, and where it leads.
EXPLORERS = {
    "solana": ("Solana Explorer", "https://explorer.solana.com/address/"),
    "solscan": ("Solscan", "https://solscan.io/account/"),
    "orb": ("Orb", "https://orbmarkets.io/address/"),
}

MAX_SITES = 10  # around a frame, in one request


@blueprint.get("/tracking/<page_id>")
@compress.compressed()
def show_widget(page_id: str) -> Response:
    """Render the page's list and set the session cookie.

    The widget reads it again to show what has changed, and answers that nothing has by 304.
    Raises ApiError `missing_key`, `invalid_key`, `revoked_key`, `not_found`, `embed_disabled`.
    """
    access, page = get_open_page(page_id)
    uses_chain = runtime().settings.uses_chain
    payload = get_payload(page_id, access.page_version, uses_chain=uses_chain)
    if request.if_none_match.contains_weak(payload.etag):
        return Response(status=304)
    shown_look = read_look(page.look)
    hidden, order = shown_look.look.hide, shown_look.look.order
    shown = _choose_wallets(payload, order)
    proofs = read_visible_proofs(page, [one["id"] for one in shown["wallets"]])
    session_id = find_session_id()
    key, link = request.args["key"], build_link(page_id)
    address = link if access.is_link else f"{own_origin()}{build_path(page, key)}"
    response = respond(
        render_template(
            "widget/page.html",
            page_id=page_id,
            key=key,
            address=address,
            page=payload.details,
            wallet_count=payload.wallet_count,
            standings=payload.standings,
            order=order,
            explorer=EXPLORERS.get(shown_look.look.explorer),
            etag=quote_etag(payload.etag, weak=True),
            policy=page,
            site=_find_site(access),
            is_for_any_site=_list_ancestors(access) is None,
            allows_null_origin=access.allows_null_origin,
            look=shown_look,
            hidden=hidden,
            shown=shown,
            supply=find_supply(page, uses_chain=uses_chain),
            now=runtime().clock(),
            again_after=int(runtime().settings.balance_max_age.total_seconds()),
            parts=_split_by_tag(payload),
            proofs={name: describe_proof(proof) for name, proof in proofs.items()},
            has_session=session_id is not None,
            own=_list_own(page_id, session_id),
            has_changes=uses_chain
            and "changes" not in hidden
            and has_history(page, [one["address"] for one in shown["wallets"]]),
            scripts=runtime().extra_scripts,
        ),
        ancestors=_list_ancestors(access),
        look=shown_look,
    )
    allow_isolated_hosts(response)
    _store_refused_site(access)
    renew_session(response)
    return response


@blueprint.get("/session")
def show_session_state() -> ResponseReturnValue:
    """Tell the widget whether the browser sends the session cookie, which scripts cannot read."""
    return {"hasSession": find_session_id() is not None}, {"Cache-Control": "no-store"}


@blueprint.get("/tracking/<page_id>/sites")
def check_sites(page_id: str) -> ResponseReturnValue:
    """Tell embed.js which of the sites around a frame the key does not name, and store these.

    Browsers refuse such a frame, and send only the innermost site to the service.
    """
    access = get_public_access(page_id)
    sites = request.args.getlist("site")[:MAX_SITES]
    refused = [_refuse_site(access, raw_origin=one) for one in sites]
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}
    return {"refused": [one for one in refused if one is not None]}, headers


def _list_own(page_id: str, session_id: str | None) -> list[dict[str, Any]]:
    """Return the visitor's own submissions, those that wait first, then by time.

    They are above the list, where rows that appeared later would push it down.
    """
    own = [
        as_dict(describe_submission(one)) for one in queries.list_of_session(page_id, session_id)
    ]
    return sorted(own, key=lambda one: one["status"] != "pending")


def _find_site(access: Access) -> str | None:
    """Return the site that embeds the widget, if it sent a Referer that is on the allowlist."""
    site = parse_origin(request.headers.get("Referer", ""))
    return site if site in access.origins else None


def _store_refused_site(access: Access) -> None:
    """Store a site in which browsers will not show the widget."""
    if request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame"):
        _refuse_site(access, raw_referer=request.headers.get("Referer"))


def _refuse_site(
    access: Access, *, raw_origin: str | None = None, raw_referer: str | None = None
) -> str | None:
    """Store a site that frame-ancestors does not name, and return its origin; None: it does."""
    if _list_ancestors(access) is None:
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


def _choose_wallets(payload: Payload, order: str) -> dict[str, Any]:
    """Return the wallets to render; the others are shown by a script, or by links without one."""
    last = payload.part_count
    number = min(max(1, request.args.get("page", 1, type=int)), last)
    arguments = {name: value for name, value in request.args.items() if name != "page"}
    wallets = zip(payload.list_places(number, order), payload.read_part(number, order), strict=True)

    def link(to: int) -> str | None:
        return f"?{urlencode(arguments | {'page': to})}" if 1 <= to <= last else None

    return {
        "wallets": [_describe(wallet, place, payload) for place, wallet in wallets],
        "number": number,
        "last": last,
        "previous": link(number - 1),
        "next": link(number + 1),
    }


def _describe(wallet: dict[str, Any], place: int, payload: Payload) -> dict[str, Any]:
    """Add a wallet's place in the list, its rank, its shares, and how long its bar is, of 100."""
    balance, standings = wallet["tokenBalance"], payload.standings
    part = balance / standings.highest if standings.highest else 0
    return wallet | {
        "place": place,
        "rank": standings.ranks[place],
        "part": f"{round(float(part) * 100, 1):g}",
        "share": find_share(balance, payload.details.get("supply")) if balance else None,
    }


def _list_ancestors(access: Access) -> str | None:
    """Return the value of frame-ancestors, None: no restriction.

    The policy cannot name local files and sandboxed frames, so a key that allows the null
    origin gets none. A page that is public by link may be shown everywhere.
    """
    if access.allows_null_origin or access.is_link:
        return None
    return " ".join(("'self'", *access.origins))


# The bar above the list: how much of the total the wallets of each tag hold

_BAR_WIDTH = 1000
_BAR_GAP = 3


class Part(NamedTuple):
    """A part of the bar that shows what wallets hold, by their first tags."""

    tag: Tag | None
    share: Decimal  # of 1
    x: float
    width: float


def _split_by_tag(payload: Payload) -> list[Part]:
    """Return the parts in the order of the page's tags; none if that would be one part."""
    amounts = payload.standings.parts
    tags = [tag for tag in payload.details["tags"] if amounts.get(tag.id)]
    total = sum(amounts.values())
    if not tags or not total:
        return []
    parts: list[Part] = []
    x = 0.0
    for tag in (*tags, *([None] if amounts.get(None) else [])):
        share = amounts[tag.id if tag else None] / total
        width = float(share) * _BAR_WIDTH
        parts.append(Part(tag, share, round(x, 1), round(max(width - _BAR_GAP, 1), 1)))
        x += width
    return parts if len(parts) > 1 else []
