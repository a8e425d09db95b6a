"""Apps of tests: one for each set of settings, which tests use one after the other.

Making one compiles all routes and templates, which takes longer than most tests do.
"""

from dataclasses import replace

from flask import Flask

from embed.balances.solana_rpc import choose_chain
from embed.db.connection import open_database
from embed.factory import choose_balances, create_app
from embed.runtime import EXTENSION
from embed.settings import Settings
from embed.worker import EXTENSION as JOBS
from embed.worker import list_jobs

_MOST = 16
# Settings that requests and jobs read, and not create_app.
_READ_AT_REQUESTS = (
    "allow_private_targets",
    "balance_history",
    "balance_refresh",
    "database_url",
    "first_owner",
    "limit_ip_submissions",
    "limit_per_key",
    "limit_refreshes",
    "limit_rpc",
    "limit_session_nonces",
    "limit_session_submissions",
    "max_wallets",
    "nonce_lifetime",
    "rejected_kept",
    "smtp_url",
    "solana_rpc_url",
)


class Apps:
    def __init__(self) -> None:
        self._made: dict[Settings, Flask] = {}

    def find(self, settings: Settings, *, clock, balances=None, chain=None) -> Flask:
        """Return an app that knows nothing of an earlier test."""
        dependencies = {"clock": clock, "balances": balances, "chain": chain}
        if not settings.ratelimit_storage_uri.startswith("memory:"):
            return create_app(settings, **dependencies)
        same = replace(settings, **dict.fromkeys(_READ_AT_REQUESTS))
        app = self._made.pop(same, None)
        if app is None:
            app = create_app(settings, **dependencies)
        else:
            _renew(app, settings, **dependencies)
        self._made[same] = app
        if len(self._made) > _MOST:
            del self._made[next(iter(self._made))]
        return app


def _renew(app: Flask, settings: Settings, *, clock, balances, chain) -> None:
    chain = choose_chain(settings, chain)
    app.extensions[JOBS] = list_jobs(settings)
    app.extensions[EXTENSION] = replace(
        app.extensions[EXTENSION],
        settings=settings,
        clock=clock,
        chain=chain,
        balances=balances or choose_balances(settings, chain, clock),
    )
    for limiter in app.extensions["limiter"]:
        limiter.reset()
    open_database(settings.database_url)
