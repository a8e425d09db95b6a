"""The roof: puts the parts together."""

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from embed import cli
from embed.balances import BalanceSource, EnteredBalances
from embed.database import open_database
from embed.domain import times
from embed.domain.nonces import NonceSeal
from embed.domain.times import Clock
from embed.domain.visits import SessionSeal
from embed.service import Service
from embed.settings import PROJECT_DIR, Settings
from embed.web import api, widget
from embed.web.cors import init_cors
from embed.web.current import EXTENSION
from embed.web.error_handlers import init_error_handlers
from embed.web.limits import init_limits

MAX_BODY_BYTES = 16 * 1024


def create_app(
    settings: Settings,
    *,
    balances: BalanceSource | None = None,
    clock: Clock = times.now,
) -> Flask:
    """Make the WSGI app; the database is connected to at the first request."""
    app = Flask(
        "embed",
        template_folder=str(PROJECT_DIR / "templates"),
        static_folder=str(PROJECT_DIR / "static"),
    )
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False  # preflights are answered by cors.py
    app.url_map.merge_slashes = False
    if settings.public_url is not None:
        # No other name pointed at this machine passes for its own.
        app.config["TRUSTED_HOSTS"] = [settings.public_url.partition("://")[2]]
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]

    open_database(settings.database_url)
    app.extensions[EXTENSION] = Service(
        settings=settings,
        clock=clock,
        balances=balances or EnteredBalances(),
        nonces=NonceSeal(settings.secret_keys),
        sessions=SessionSeal(settings.secret_keys),
    )
    init_limits(app, settings)
    init_cors(app)
    init_error_handlers(app)
    app.register_blueprint(api.blueprint, url_prefix="/api/embed")
    # The cookie's path is /embed, so a browser sends it here and not to /api/embed.
    app.register_blueprint(api.blueprint, url_prefix="/embed/api", name="own_api")
    app.register_blueprint(widget.blueprint, url_prefix="/embed")
    cli.init_cli(app)
    return app
