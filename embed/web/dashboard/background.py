"""The background work, for every owner: what it did last, when, and what failed."""

from flask.typing import ResponseReturnValue

from embed.db.work_status import read_work_status
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.responses import render
from embed.web.languages import lazy_gettext

# What owners read instead of the names of jobs; others are shown by their name.
TITLES = {
    "balances": lazy_gettext("Balances from the chain"),
    "feed": lazy_gettext("Feed of wallets that joined or left"),
    "prune": lazy_gettext("Deletion of old data"),
}


@blueprint.get("/background")
def show_background() -> ResponseReturnValue:
    now = runtime().clock()
    return render("background.html", work=read_work_status(now), titles=TITLES, now=now)
