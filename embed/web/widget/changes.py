"""What the list shows beside balances: how they changed, and lines of the last 30 days."""

from typing import Any

from flask import Response

from embed.balances.history import BalanceChange, read_visible_balance_changes
from embed.serializers import write_json
from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.sparkline import Sparkline, draw_sparklines
from embed.web.widget.blueprint import blueprint, get_open_page, read_wallet_ids


@blueprint.get("/tracking/<page_id>/changes")
@compress.compressed()
def read_changes(page_id: str) -> Response:
    """Return the changes of the wallets that ``?wallets=`` lists by their ids.

    Hidden and unknown wallets are left out, as are those that were not observed on the chain.
    Raises ApiError as the iframe route does.
    """
    _, page = get_open_page(page_id)
    changes: dict[str, BalanceChange] = {}
    now = runtime().clock()
    if runtime().settings.uses_chain:
        changes = read_visible_balance_changes(page, read_wallet_ids(), now)
    lines = draw_sparklines(changes, now)
    described = {name: _describe(change, lines[name]) for name, change in changes.items()}
    response = Response(
        write_json({"wallets": described}, is_compact=True), content_type="application/json"
    )
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _describe(change: BalanceChange, line: Sparkline) -> dict[str, Any]:
    """Return changes in whole tokens, and the line with the seconds that it spans."""
    return {
        "changeDay": change.day,
        "changeWeek": change.week,
        "changeLine": line.change,
        "lineSeconds": int(line.span.total_seconds()),
        "linePath": line.path,
    }
