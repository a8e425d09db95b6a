"""Creates the Flask app from its parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from flask.typing import ResponseReturnValue
from werkzeug.middleware.proxy_fix import ProxyFix

from embed import demo
from embed.balances.gate import LiveBalances
from embed.balances.known import BalanceSource
from embed.balances.solana_rpc import SolanaRpc, choose_chain
from embed.commands import init_commands
from embed.db.connection import open_database
from embed.domain import times
from embed.domain.times import Clock
from embed.logs.lines import set_up_logs
from embed.runtime import EXTENSION, Runtime
from embed.settings import PROJECT_DIR, Settings, SettingsError
from embed.web.api import blueprint as api_blueprint
from embed.web.api import openapi, preflights
from embed.web.assets import init_assets
from embed.web.compression import init_compression
from embed.web.current import OWN_API, LenientRequest, check_host
from embed.web.dashboard import init_dashboard
from embed.web.documents import init_documents
from embed.web.error_handlers import init_error_handlers
from embed.web.figures import init_figures
from embed.web.health import init_health
from embed.web.languages import init_languages
from embed.web.rate_limits import exempt, init_limits
from embed.web.request_hooks import init_first_request, init_metrics, init_request_ids
from embed.web.widget import blueprint as widget_blueprint
from embed.worker import EXTENSION as JOBS
from embed.worker import Job, list_jobs

MAX_BODY_BYTES = 16 * 1024


def create_app(settings: Settings | None = None, **parts: Any) -> Flask:
    """Make the WSGI app; its first request makes a missing secret key and SQLite database.

    Without `settings`, they come from the environment; if one isn't valid, the app has only the
    commands, and answers 503. `parts` are `_assemble`'s, such as a clock.

    Raises SettingsError if the given settings can't be used.
    """
    if settings is not None:
        return _assemble(settings, **parts)
    try:
        settings = Settings.from_environ().with_existing_key()
        set_up_logs(settings.log_format, settings.secrets)
        return _assemble(settings, **parts)
    except SettingsError as error:
        return _make_unusable_app(error)


def _assemble(
    settings: Settings,
    *,
    balances: BalanceSource | None = None,
    chain: SolanaRpc | None = None,
    clock: Clock = times.now,
    extra_scripts: tuple[str, ...] = (),
    jobs: Sequence[Job] | None = None,
) -> Flask:
    """Make the app from its parts; it connects to the database on first use.

    `chain` replaces the RPC servers that SOLANA_RPC_URL names, if it names any. `jobs` run in the
    background; they're the service's own unless given.

    Raises SettingsError.
    """
    app = Flask(
        "embed",
        template_folder=str(PROJECT_DIR / "templates"),
        static_folder=None,  # assets.py serves it
    )
    app.request_class = LenientRequest
    _ = app.logger  # created now, so that loggers below "embed" get its handler and format
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False  # cors.py answers preflights
    app.url_map.merge_slashes = False
    if settings.trusted_proxies:
        _believe_proxies(app, settings)

    init_request_ids(app, settings)
    init_metrics(app, settings)
    init_first_request(app)
    open_database(settings.database_url)
    chain = choose_chain(settings, chain)
    app.extensions[EXTENSION] = Runtime(
        settings=settings,
        clock=clock,
        balances=balances or choose_balances(settings, chain, clock),
        chain=chain,
        rate_limits=init_limits(app, settings),
        extra_scripts=extra_scripts,
    )
    app.extensions[JOBS] = list_jobs(settings) if jobs is None else jobs
    app.before_request(check_host)
    init_error_handlers(app)
    init_compression(app)
    init_assets(app)
    init_languages(app)
    init_figures(app)
    app.register_blueprint(api_blueprint, url_prefix="/api/embed")
    app.register_blueprint(openapi, url_prefix="/api/embed")
    app.register_blueprint(preflights, url_prefix="/api/embed")
    # The session cookie's path is /embed, so browsers send it here and not to /api/embed.
    app.register_blueprint(api_blueprint, url_prefix="/embed/api", name=OWN_API)
    app.register_blueprint(preflights, url_prefix="/embed/api", name="own_preflights")
    app.register_blueprint(widget_blueprint, url_prefix="/embed")
    init_dashboard(app, settings)
    init_documents(app, settings)
    init_health(app)
    # A page loads many static files, and a health check's client may be the proxy.
    exempt(app, preflights, "static_file", "embed_script", "healthz", "readyz")
    init_commands(app)
    return app


def _believe_proxies(app: Flask, settings: Settings) -> None:
    """Take the client's address from the trusted proxies and the scheme from PUBLIC_URL.

    All proxies append to X-Forwarded-For. But some append to X-Forwarded-Proto, while others
    replace it or pass it on, so there's no telling how many of its values are theirs. Without
    PUBLIC_URL, the last one counts.
    """
    scheme = urlsplit(settings.public_url or "").scheme
    fixed = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies, x_proto=0 if scheme else 1)

    def believe(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        environ["wsgi.url_scheme"] = scheme or environ["wsgi.url_scheme"]
        if "HTTP_X_FORWARDED_FOR" in environ:
            # A client's quotation mark would make everything appended after it unreadable.
            environ["HTTP_X_FORWARDED_FOR"] = environ["HTTP_X_FORWARDED_FOR"].replace('"', "")
        return fixed(environ, start_response)

    app.wsgi_app = believe  # type: ignore[method-assign]  # Flask's way


def _make_unusable_app(error: SettingsError) -> Flask:
    """Return an app with the commands, of which doctor explains the error, and without pages."""
    app = Flask("embed", static_folder=None)
    app.extensions[EXTENSION] = error
    init_commands(app)
    is_logged = False

    @app.before_request
    def refuse() -> ResponseReturnValue:
        nonlocal is_logged
        if not is_logged:
            is_logged = True
            app.logger.error("%s", error)
        return {"error": "unavailable"}, 503, {"Retry-After": "60"}

    return app


def choose_balances(settings: Settings, chain: SolanaRpc | None, clock: Clock) -> BalanceSource:
    if chain is None:
        return BalanceSource(uses_chain=False)
    return LiveBalances(chain, clock, settings.balance_max_age)


def create_demo_app() -> Flask:
    """Make what ``flask demo`` serves: the app with a test wallet. Raises SettingsError."""
    return create_app(Settings.from_environ().with_secret_key(), extra_scripts=demo.WALLET_SCRIPTS)
