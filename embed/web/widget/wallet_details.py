"""What rows show besides the payload: balance changes, and the details of an opened row."""

from typing import Any

from flask import Response, render_template, request

from embed.balances.history import BalanceChange, read_visible_balance_changes
from embed.db.models import Page, Proof
from embed.domain.amounts import find_share
from embed.errors import ApiError
from embed.serializers import write_json
from embed.submissions.proofs import find_readable_proof, read_visible_proofs
from embed.wallets.tracking import find_visible
from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.drawings import CHART, Line, draw_chart, draw_lines
from embed.web.widget.blueprint import blueprint, get_open_page, read_wallet_ids, respond


@blueprint.get("/tracking/<page_id>/changes")
@compress.compressed()
def read_changes(page_id: str) -> Response:
    """Return the balance changes of the wallets that ``?wallets=`` lists by their ids.

    Hidden and unknown wallets are left out, as are those never observed on the chain. Raises
    ApiError as the iframe route does.
    """
    _, page = get_open_page(page_id)
    changes: dict[str, BalanceChange] = {}
    now = runtime().clock()
    if runtime().balances.uses_chain:
        changes = read_visible_balance_changes(page, read_wallet_ids(), now)
    lines = draw_lines(changes, now)
    described = {
        name: _describe_change(change, lines.get(name)) for name, change in changes.items()
    }
    response = Response(
        write_json({"wallets": described}, is_compact=True), content_type="application/json"
    )
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _describe_change(change: BalanceChange, line: Line | None) -> dict[str, Any]:
    """Return changes in whole tokens, and the line, if any, with its span in seconds."""
    return {
        "changeDay": change.day,
        "changeWeek": change.week,
        "changeLine": change.line_change,
        "lineSeconds": int(line.span.total_seconds()) if line else 0,
        "linePath": line.path if line else "",
    }


@blueprint.get("/tracking/<page_id>/wallets/<wallet_id>")
@compress.compressed()
def show_wallet(page_id: str, wallet_id: str) -> Response:
    """Render a wallet's balance, how it has changed, and its proof.

    Raises ApiError as the iframe route does, and `not_found`.
    """
    _, page = get_open_page(page_id)
    wallet = find_visible(page, wallet_id)
    if wallet is None:
        raise ApiError("not_found")
    balances, now = runtime().balances, runtime().clock()
    changes = read_visible_balance_changes(page, [wallet_id], now) if balances.uses_chain else {}
    change = changes.get(wallet_id)
    balance = balances.read(page, [wallet.address]).get(wallet.address)
    supply = balances.find_supply(page.token_mint)
    html = render_template(
        "widget/wallet_details.html",
        page=page,
        key=request.args["key"],
        wallet=wallet,
        balance=balance,
        share=find_share(balance.amount, supply.amount if supply else None) if balance else None,
        change=change,
        chart=change and draw_chart(change.line, now),
        box=CHART,
        proof=_find_proof(page, wallet_id),
    )
    return respond(html, ancestors="'none'")


def _find_proof(page: Page, wallet_id: str) -> Proof | None:
    """Return the proof with what was signed."""
    proof = read_visible_proofs(page, [wallet_id]).get(wallet_id)
    return proof and find_readable_proof(page, proof.submission_id, session_id=None)
