"""Apps of tests: one for each set of settings, which tests use one after the other.

Making one compiles all routes and templates, which takes longer than most tests do.
"""

from dataclasses import replace

from flask import Flask

from embed.balances.solana_rpc import choose_chain
from embed.db.connection import open_database
from embed.factory import choose_balances, create_app
from embed.rate_limits.limiter import RateLimiter
from embed.runtime import EXTENSION
from embed.settings import Settings

_MOST = 16


class Apps:
    def __init__(self) -> None:
        self._made: dict[Settings, Flask] = {}

    def find(self, settings: Settings, *, clock, balances=None, chain=None) -> Flask:
        """Return an app that knows nothing of an earlier test."""
        same = replace(settings, database_url="")
        used = self._made.pop(same, None)
        app = self._made[same] = used or create_app(settings)
        if len(self._made) > _MOST:
            del self._made[next(iter(self._made))]
        (limiter,) = app.extensions["limiter"]
        if used is not None:  # a new one may count at a Redis that is away
            limiter.reset()
        chain = choose_chain(settings, chain)
        app.extensions[EXTENSION] = replace(
            app.extensions[EXTENSION],
            settings=settings,
            clock=clock,
            chain=chain,
            balances=balances or choose_balances(settings, chain, clock),
            limiter=RateLimiter(limiter.storage, next(iter(settings.secret_keys), "")),
        )
        open_database(settings.database_url)
        return app
