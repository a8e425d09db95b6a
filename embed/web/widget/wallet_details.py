"""What an opened row of the list shows."""

from flask import Response, render_template, request

from embed.balances.history import read_balance_changes
from embed.db.models import Page, Proof
from embed.domain.amounts import find_share
from embed.errors import ApiError
from embed.submissions.proofs import find_readable_proof, read_visible_proofs
from embed.wallets.tracking import find_visible
from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.drawings import CHART, draw_chart
from embed.web.widget.blueprint import blueprint, get_open_page, respond_with_part


@blueprint.get("/tracking/<page_id>/wallets/<wallet_id>")
@compress.compressed()
def show_wallet(page_id: str, wallet_id: str) -> Response:
    """Render a wallet's balance, how it has changed, and its proof.

    Raises ApiError as the iframe route does, and `not_found`.
    """
    access, page = get_open_page(page_id)
    wallet = find_visible(page, wallet_id)
    if wallet is None:
        raise ApiError("not_found")
    balances, now = runtime().balances, runtime().clock()
    changes = read_balance_changes(page, [wallet.address], now) if balances.uses_chain else {}
    change = changes.get(wallet.address)
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
    return respond_with_part(html, access)


def _find_proof(page: Page, wallet_id: str) -> Proof | None:
    """Return the proof with what was signed."""
    proof = read_visible_proofs(page, [wallet_id]).get(wallet_id)
    return proof and find_readable_proof(page, proof.submission_id, session_id=None)
