"""The roof: puts the parts together."""

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from embed import cli
from embed.balances import BalanceSource, EnteredBalances
from embed.database import open_database
from embed.domain import times
from embed.domain.nonces import NonceSeal
from embed.domain.origins import parse_origin
from embed.domain.passwords import LinkSeal
from embed.domain.times import Clock
from embed.domain.visits import SessionSeal
from embed.service import Service
from embed.settings import PROJECT_DIR, Settings, SettingsError
from embed.web import api, widget
from embed.web.assets import init_assets
from embed.web.cors import init_cors
from embed.web.current import EXTENSION, check_host
from embed.web.dashboard import init_dashboard
from embed.web.error_handlers import init_error_handlers
from embed.web.languages import init_languages
from embed.web.limits import init_limits

MAX_BODY_BYTES = 16 * 1024


def create_app(
    settings: Settings,
    *,
    balances: BalanceSource | None = None,
    clock: Clock = times.now,
    extra_scripts: tuple[str, ...] = (),
) -> Flask:
    """Make the WSGI app; the database is connected to at the first request.

    Raises SettingsError.
    """
    if settings.public_url is not None and parse_origin(settings.public_url) is None:
        raise SettingsError("PUBLIC_URL must name a host, such as https://embed.example.com.")
    app = Flask(
        "embed",
        template_folder=str(PROJECT_DIR / "templates"),
        static_folder=None,  # assets.py serves it
    )
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False  # preflights are answered by cors.py
    app.url_map.merge_slashes = False
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
        password_links=LinkSeal(settings.secret_keys),
        extra_scripts=extra_scripts,
    )
    init_limits(app, settings)
    if settings.public_url is not None:
        app.before_request(check_host)
    init_cors(app)
    init_error_handlers(app)
    init_assets(app)
    init_languages(app)
    app.register_blueprint(api.blueprint, url_prefix="/api/embed")
    # The cookie's path is /embed, so a browser sends it here and not to /api/embed.
    app.register_blueprint(api.blueprint, url_prefix="/embed/api", name=api.OWN_API)
    app.register_blueprint(widget.blueprint, url_prefix="/embed")
    init_dashboard(app, settings)
    cli.init_cli(app)
    return app
