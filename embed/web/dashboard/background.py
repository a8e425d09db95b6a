"""The background work, for every owner: what it did last, when, and what failed."""

from flask.typing import ResponseReturnValue

from embed.db.work_status import read_work_status
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.responses import render

# What owners read instead of the names of jobs; others are shown by their name.
TITLES = {
    "balances": "Balances from the chain",
    "feed": "Feed of wallets that joined or left",
    "prune": "Deletion of old data",
    "notifications": "Notifications",
    "slow-notifications": "Notifications to slow receivers",
}


@blueprint.get("/background")
def show_background() -> ResponseReturnValue:
    now = runtime().clock()
    return render("background.html", work=read_work_status(now), titles=TITLES, now=now)
