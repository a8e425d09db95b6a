"""gunicorn's configuration; its command line can override every value."""

import gc
import sys
import threading
from functools import partial
from ipaddress import ip_address
from typing import Any

from gunicorn.arbiter import Arbiter
from peewee import DatabaseError, InterfaceError, OperationalError

from embed.db import connection, schema_version
from embed.db.failures import explain
from embed.server.metrics import check_address, make_folder, remove_folder, start_metrics
from embed.settings import Settings, SettingsError
from embed.settings.storages import check_storage, is_shared

try:
    settings = Settings.from_environ().with_secret_key()
    connection.create_if_missing(connection.open_database(settings.database_url))
    check_storage(settings.ratelimit_storage_uri)
except SettingsError as error:
    sys.exit(f"Error: {error}")

if settings.metrics_bind is not None:
    make_folder()

workers = settings.web_concurrency
# For each kind of request (embed/server/worker.py). Two may wait for the chain, which leaves two
# for others.
threads = 4
# Processes share the memory of everything loaded before they start; docs/limits.md has figures.
preload_app = True
# Requests until a process is replaced, unless it's the only one: a leak of 1 KB per request would
# take 200 MB by then. The spread keeps processes that started together from ending together.
max_requests = 200_000
max_requests_jitter = 100_000
# A request may wait a few seconds for the chain and a lock, then 10 more for a silent client.
graceful_timeout = 30
worker_class = "embed.server.worker.BufferingWorker"
logger_class = "embed.server.logger.Logger"
# Each takes an open file; a process can usually have 1,024.
worker_connections = 800
# Longer than proxies keep idle connections: they would send a request on one that we just closed.
# Cloudflare keeps them for 900 seconds, Google's load balancers for 600.
keepalive = 930
# Our worker sends from memory.
sendfile = False
# TRUSTED_PROXIES alone decides which proxies are trusted.
forwarded_allow_ips = ""
# Requests with long ids reach the API, which answers JSON instead of gunicorn's HTML.
limit_request_line = 8190
# A site's marketing cookies, which browsers also send to its subdomains, take more than 8 KB.
limit_request_field_size = 32 * 1024
control_socket_disable = True
# Not the C parser, which gunicorn prefers if it's installed: it accepts requests that this one
# refuses, such as those with bare line feeds, and answers with other statuses.
http_parser = "python"

_FINISH_S = 1.0  # how long a stopping process waits for its background tasks


def nworkers_changed(server: Arbiter, count: int, before: int | None) -> None:
    """Refuse several workers if each would count rate limits separately.

    At the start (`before` is None), exit with an error message; when a signal changes the number,
    undo the change.
    """
    if count <= 1 or is_shared(settings.ratelimit_storage_uri):
        return
    shared = "set RATELIMIT_STORAGE_URI, such as redis://127.0.0.1:6379"
    if before is None:
        sys.exit(
            f"Error: {count} workers would each count rate limits separately: {shared},"
            " or start one worker (WEB_CONCURRENCY=1)."
        )
    server.log.error("There is still one worker. For more, stop the server and %s.", shared)
    server.num_workers = 1


def on_starting(server: Arbiter) -> None:
    """Upgrade the database before the first worker uses it.

    An unreachable database doesn't prevent the start: requests answer 503 until it's reachable,
    and each worker retries the upgrade.
    """
    if settings.public_url is None and not all(map(_is_local, server.cfg.address)):
        server.log.warning(
            "PUBLIC_URL is not set, so the service trusts any Host header, and the texts that"
            " visitors sign name the host in it. Set it to the address that visitors use."
        )
    try:
        for name in schema_version.upgrade():
            server.log.info("Database upgraded: %s", name)
    except OperationalError as error:
        server.log.warning("The database could not be upgraded: %s", explain(error))
    except schema_version.OtherVersion as error:
        sys.exit(f"Error: {error}")
    except (DatabaseError, InterfaceError) as error:
        sys.exit(f"Error: DATABASE_URL cannot be used: {explain(error)}")
    finally:
        connection.db.close()


def _is_local(address: Any) -> bool:
    """Return whether only this machine can reach an address, such as loopback or a socket file."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def when_ready(server: Arbiter) -> None:
    """Exempt loaded objects from garbage collection, which would write to the shared memory."""
    check_address(server, settings)
    gc.collect()
    gc.freeze()


def post_worker_init(worker: Any) -> None:
    """Start the background work, which first upgrades a database that was unreachable.

    Its threads end with the process; an unfinished upgrade is then rolled back.
    """
    # Imported here: they import prometheus_client, which needs the metrics folder to exist.
    from embed.runtime import EXTENSION
    from embed.server.first_owner import make_first_owner
    from embed.worker import EXTENSION as JOBS
    from embed.worker import Background

    start_metrics(settings)
    if worker.cfg.workers == 1 and worker.cfg.max_requests == max_requests:
        worker.max_requests = sys.maxsize  # nothing would serve until its successor starts
    extensions = getattr(worker.wsgi, "extensions", {})
    if EXTENSION in extensions:
        runtime = extensions[EXTENSION]
        worker.background = Background(
            runtime,
            extensions[JOBS],
            "gunicorn",
            begin=partial(make_first_owner, runtime, worker.sockets),
        )
        worker.background.start()
    else:
        threading.Thread(
            target=schema_version.upgrade_until_done, name="upgrade", daemon=True
        ).start()
        worker.log.warning("gunicorn does no background work for this app: start flask worker.")


def worker_exit(_server: Arbiter, worker: Any) -> None:
    """Stop the background work without waiting for long tasks, which will be done again."""
    background = getattr(worker, "background", None)
    if background is not None:
        background.stop(_FINISH_S)


def on_exit(_server: Arbiter) -> None:
    remove_folder()
