"""Finds what is wrong with an installation, and what to do about it, for ``flask doctor``."""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from peewee import PeeweeException, SqliteDatabase
from psycopg2.extensions import parse_dsn

from embed.db import schema_version
from embed.db.connection import db, open_database
from embed.db.failures import find_remedy
from embed.db.models import MODELS, Page
from embed.db.work_status import read_work_status
from embed.domain.times import Clock
from embed.outbound import Client, Reach, RequestFailed
from embed.settings import Settings, SettingsError, find_database_file
from embed.settings.storages import is_shared

_UPGRADE = "Start gunicorn, which upgrades it, or run flask db upgrade as the service's user."
_NEW_KEY = 'python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
_CHECK_DATABASE = (
    "Check DATABASE_URL, and that Postgres is running, or that this user can read the file."
)
WARNINGS = {"public_url_missing", "proxy_not_trusted", "minimum_without_endpoint"}
# The problem and what to do, for each code in docs/monitoring.md.
SENTENCES = {
    "setting_invalid": (
        "The service does not start with this setting: {mistake}",
        "Correct it, or leave it out to use its default. All settings are in docs/settings.md.",
    ),
    "secret_weak": (
        "{subject} can be guessed, and gives access to everything.",
        f"Replace it with the output of {_NEW_KEY}. A new SECRET_KEY ends all sessions. A password"
        " of Postgres is changed there, too, with ALTER ROLE.",
    ),
    "public_url_missing": (
        "PUBLIC_URL isn't set, so the service trusts the host that any request names, even in the"
        " texts that visitors sign.",
        "Set PUBLIC_URL to the address that visitors use, such as https://embed.example.com",
    ),
    "public_url_http": (
        "PUBLIC_URL begins with http://, where wallets don't sign and nobody can sign in.",
        "Put an HTTPS proxy in front, and set PUBLIC_URL=https://{host}",
    ),
    "proxy_not_trusted": (
        "TRUSTED_PROXIES is 0, so behind a proxy, all visitors count as one client.",
        "Set it to the number of proxies in front of the service: 1 with the samples in deploy/.",
    ),
    "limits_not_shared": (
        "Each of gunicorn's {processes} processes counts rate limits separately.",
        "Set RATELIMIT_STORAGE_URI=redis://127.0.0.1:6379 (a Redis that you run), or start one"
        " process (WEB_CONCURRENCY=1).",
    ),
    "file_exposed": ("Others on this machine may read or write {path}.", "chmod {mode} {path}"),
    "file_not_writable": (
        "The service can't write {path}, or the file doesn't belong to its user, number {user}.",
        "chown {user} {path}; chmod u+rwX {path}; and run commands as the service's user.",
    ),
    "disk_nearly_full": (
        "The disk of {folder} has {free:,} MiB left. Once it's full, what writes answers 503.",
        "Free some space, or move the database to a larger disk.",
    ),
    "database_missing": (
        "There is no database at {path}.",
        f"{_UPGRADE} If there was one before, check DATABASE_URL, or restore a backup.",
    ),
    "database_unreachable": (
        "The database ({path}) does not answer: {reason}",
        "{remedy}",
    ),
    "database_behind": ("The database lacks the upgrades {missing}.{why}", f"{{first}}{_UPGRADE}"),
    "database_of_another_version": ("{reason}", "Install the version that it needs."),
    "minimum_without_endpoint": (
        "Without SOLANA_RPC_URL, these pages refuse every wallet without an entered balance, as"
        " they have a minimum: {pages}",
        "Set SOLANA_RPC_URL, or remove the minimum: flask pages update PAGE_ID --min-balance 0",
    ),
    "no_worker": (
        "The background work isn't running: no balances are read, and nobody is notified.",
        "Start gunicorn, or flask worker; with BACKGROUND=worker, only the latter works.",
    ),
    "job_failing": ("The background job {name} fails: {reason}", "See flask worker status."),
    "public_url_unreachable": (
        "The service can't be reached at PUBLIC_URL, {address}: {problem}",
        "Check that gunicorn and the proxy are running, where the name points, the certificate, and"
        " that the proxy passes on all paths and the host. PUBLIC_URL is the final address, after"
        " redirects. If Cloudflare is in front, set its encryption mode to Full (strict).",
    ),
    "proxy_changes_headers": (
        "A proxy adds, changes or removes headers of the service's answers: {names}",
        "Have it leave them as the service sends them. docs/operating.md says what breaks.",
    ),
    "check_failed": ("The check of the {name} failed: {kind}", "Report it as a bug."),
}
_WINDOW_HEADERS = {
    # Only the service's own policy may restrict these; browsers apply each of several.
    "Content-Security-Policy": r"(?=.*trusted-types pages)(?!.*sandbox)(?!.*(trusted-types "
    r"|frame-ancestors (?!\*)|(default|script|style|img|connect)-src).*\1(?!\*)).*",
    "X-Frame-Options": "(?!.*(deny|sameorigin)).*",
    "Cross-Origin-Opener-Policy": "(unsafe-none)?",
    "Cross-Origin-Embedder-Policy": "",
    "Access-Control-Allow-Origin": "",
    "Referrer-Policy": ".*(?<!no-referrer)",  # the last one counts, and forms need a Referer
    "Permissions-Policy": r"(?!.*(clipboard-write|publickey-credentials-\w+)=\(\)).*",
}
# What everyone may read: its status, a part of its body, and patterns of headers as they arrive.
_PUBLIC_ANSWERS: dict[str, tuple[int, bytes, dict[str, str]]] = {
    # Another service doesn't answer so, nor ours if it gets a wrong host.
    "/api/embed/tracking/doctor": (401, b"missing_key", {}),
    "/embed.js": (200, b"", {"Cross-Origin-Resource-Policy": "cross-origin"}),
    "/embed/sign": (200, b"", _WINDOW_HEADERS),
}
# Placeholders that people and samples use; random keys don't contain these.
_WELL_KNOWN = (
    *("change", "replace", "placeholder", "example", "password", "passphrase", "secret", "default"),
    *("insecure", "long random", "qwerty", "123456", "abcdef", "letmein"),
)
_LEAST_FREE_MIB = 200
# Who changes the database, and whether they may create tables, and change those there are.
_RIGHTS = """
    SELECT current_user, current_schema(), has_schema_privilege(current_schema(), 'CREATE'),
        NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema()
            AND tablename = ANY(%s) AND NOT pg_has_role(tableowner, 'USAGE'))
"""
_QUERY_TIMEOUT_S = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem; its sentences contain no secrets."""

    code: str
    severity: str  # "error" or "warning"
    problem: str
    remedy: str


Findings = Iterator[Finding | str]  # a string is a sentence about what couldn't be checked


def _find(code: str, **values: object) -> Finding:
    problem, remedy = (sentence.format(**values) for sentence in SENTENCES[code])
    return Finding(code, "warning" if code in WARNINGS else "error", problem, remedy)


def examine(settings: Settings | SettingsError, clock: Clock) -> Findings:
    """Check everything without changing anything; all waits for others are limited in time."""
    if isinstance(settings, SettingsError):
        yield from (_find("setting_invalid", mistake=mistake) for mistake in settings.args)
        yield "Not checked: everything else, until the settings are valid."
        return
    checks = {
        "settings": check_settings(settings),
        "files": check_files(settings, os.geteuid()),
        "database": check_database(settings, clock),
        "public address": check_public_address(settings),
    }
    for name, findings in checks.items():
        try:
            yield from findings
        except Exception as error:
            yield _find("check_failed", name=name, kind=type(error).__name__)


def check_settings(settings: Settings) -> Findings:
    """Check valid settings, and the key in the file that replaces SECRET_KEY."""
    keys, key_file = settings.secret_keys, settings.key_file
    # check_files reports a file that this user can't read.
    if key_file is not None and os.access(key_file, os.R_OK, effective_ids=True):
        try:
            keys = settings.with_secret_key().secret_keys
        except SettingsError as mistake:
            yield _find("setting_invalid", mistake=mistake)
    if any(map(_is_weak, keys)):
        yield _find("secret_weak", subject="A key in SECRET_KEY")
    is_postgres = find_database_file(settings.database_url) is None
    password = parse_dsn(settings.database_url).get("password") if is_postgres else None
    if password is not None and _is_weak(password):
        yield _find("secret_weak", subject="The password in DATABASE_URL")
    url = urlsplit(settings.public_url or "")
    if url.scheme == "http" and url.hostname not in ("localhost", "127.0.0.1", "::1"):
        yield _find("public_url_http", host=url.netloc)
    if url.scheme == "https" and not settings.trusted_proxies:
        yield _find("proxy_not_trusted")
    if settings.public_url is None and settings.trusted_proxies:
        yield _find("public_url_missing")
    if settings.web_concurrency > 1 and not is_shared(settings.ratelimit_storage_uri):
        yield _find("limits_not_shared", processes=settings.web_concurrency)


def _is_weak(secret: str) -> bool:
    """Return whether a secret isn't random: it has few distinct characters, or well-known words."""
    lower = secret.lower()
    return len(set(lower)) < 8 or any(word in lower for word in _WELL_KNOWN)


def check_files(settings: Settings, user_id: int) -> Findings:
    """Check files as the user `user_id` would; for root, as their folder's owner."""
    database = find_database_file(settings.database_url)
    paths = [settings.key_file] if settings.key_file else []
    if database is not None:
        paths += [database.with_name(database.name + end) for end in ("", "-wal", "-shm")]
    for folder in sorted({path.parent for path in paths}):
        if not os.path.isdir(folder):  # noqa: PTH112  # Path.is_dir raises without permission
            continue
        found = folder.stat()
        service_id = user_id or found.st_uid
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            yield _find("file_exposed", path=folder, mode=700)
        may_enter = found.st_mode & (stat.S_IXGRP | stat.S_IXOTH)
        # None if this user can't enter the folder, which is its own finding.
        files = [path for path in paths if path.parent == folder and os.path.isfile(path)]  # noqa: PTH113
        for path in (folder, *files):
            found = path.stat()
            if path != folder and may_enter and found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                yield _find("file_exposed", path=path, mode=600)
            is_writable = found.st_mode & stat.S_IWUSR and os.access(path, os.R_OK | os.W_OK)
            if found.st_uid != service_id or not is_writable:
                yield _find("file_not_writable", path=path, user=service_id)
        free = shutil.disk_usage(folder).free // 1024**2
        if free < _LEAST_FREE_MIB:
            yield _find("disk_nearly_full", folder=folder, free=free)


def check_database(settings: Settings, clock: Clock) -> Findings:
    """Read the database without creating or changing files."""
    with closing(db):
        yield from _check_tables(settings)
        yield from _check_background(clock)


def _check_tables(settings: Settings) -> Findings:
    path = find_database_file(settings.database_url)
    try:
        open_for_reading(settings.database_url)
        if path is not None:
            path.stat()
        missing = schema_version.list_missing_migrations()
        schema_version.check_version()
    except FileNotFoundError:
        yield _find("database_missing", path=path)
    except schema_version.OtherVersion as error:
        yield _find("database_of_another_version", reason=error)
    except (OSError, PeeweeException) as error:
        reason = _shorten(re.sub(r"""(["'`]).*?\1""", "…", str(error).strip()))
        remedy = find_remedy(error) or _CHECK_DATABASE
        yield _find("database_unreachable", path=path or "Postgres", reason=reason, remedy=remedy)
    else:
        if missing:
            why, first = _find_obstacle(path)
            names = _shorten(", ".join(missing))
            yield _find("database_behind", missing=names, why=why, first=first)
        elif not settings.uses_chain:
            demanding = Page.select().where(Page.min_balance != 0, Page.deleted_at.is_null())
            ids = [page.id for page in demanding.order_by(Page.created_at, Page.id)]
            if ids:  # they refuse all wallets for which nobody has entered a balance
                yield _find("minimum_without_endpoint", pages=_shorten(", ".join(ids)))


def _find_obstacle(path: Path | None) -> tuple[str, str]:
    """Return why an upgrade would fail, and what to do before it; empty if nothing is known."""
    if path is not None:
        is_full = shutil.disk_usage(path.parent).free < path.stat().st_size + 1024**2
        return (" Its disk may be too full for that.", "Free some space. ") if is_full else ("", "")
    names = [model._meta.table_name for model in MODELS]
    ((role, schema, may_create, owns_all),) = db.execute_sql(_RIGHTS, (names,)).fetchall()
    if may_create and owns_all:
        return "", ""
    can = "change its tables" if may_create else f"create tables in the schema {schema}"
    grant = f"GRANT CREATE ON SCHEMA {schema} TO {role}"
    return (
        f" The role {role} isn't allowed to {can}.",
        f"As the database's owner, run {grant} and make {role} the owner of all tables. ",
    )


def _check_background(clock: Clock) -> Findings:
    try:
        status = read_work_status(clock())
    except PeeweeException:  # _check_tables says why
        yield "Not checked: the background work, since the database can't be read."
        return
    if not status.is_working:
        yield _find("no_worker")
    for job in status.jobs:
        if job.failure is not None:
            yield _find("job_failing", name=job.name, reason=_shorten(job.failure))


def open_for_reading(url: str) -> None:
    """Make `url` the models' database, read-only."""
    path = find_database_file(url)
    if path is None:
        open_database(url)
        # A transaction that ends with the connection. Passing `options` to connect would replace
        # those in the address.
        db.begin("READ COMMITTED READ ONLY")
        db.execute_sql(f"SELECT set_config('statement_timeout', '{_QUERY_TIMEOUT_S}s', true)")
        return
    # Without a -wal file nobody has the database open, and SQLite would create one to read it:
    # https://sqlite.org/wal.html#read_only_databases
    is_open = os.access(path.with_name(f"{path.name}-wal"), os.F_OK)
    address = f"{path.resolve().as_uri()}?mode=ro{'' if is_open else '&immutable=1'}"
    db.initialize(SqliteDatabase(address, uri=True, timeout=_QUERY_TIMEOUT_S))


def check_public_address(settings: Settings) -> Findings:
    """Check that the service answers at PUBLIC_URL, as visitors reach it."""
    address = settings.public_url
    if address is None:
        yield "Not checked: the public address, since PUBLIC_URL isn't set."
        return
    try:
        names = ", ".join(list_changed_headers(address))
    except RequestFailed as failure:
        yield _find("public_url_unreachable", address=address, problem=_shorten(failure))
        return
    if names:
        yield _find("proxy_changes_headers", names=names)


def list_changed_headers(address: str) -> Iterator[str]:
    """Yield those that a proxy changes so that something breaks. Raises RequestFailed."""
    with closing(Client(Reach.ANY)) as client:
        ask = partial(client.request, "GET", headers={}, timeout_s=5.0, max_bytes=1024 * 1024)
        for path, (status, part, patterns) in _PUBLIC_ANSWERS.items():
            answer = ask(address + path)
            if answer.status != status or part not in answer.body:
                body = answer.body[:1024].decode(errors="replace")
                told = " ".join([str(answer.status), *answer.list_values("Location"), body])
                raise RequestFailed(f"something else answers: {told}")
            for name, pattern in patterns.items():
                if not re.fullmatch(pattern, ", ".join(answer.list_values(name)), re.IGNORECASE):
                    yield name


def _shorten(raw: object) -> str:
    """Shorten untrusted text to 200 characters and make it safe to print."""
    text = "".join(each if each.isprintable() else " " for each in str(raw))
    return text if len(text) <= 200 else f"{text[:200]}…"
