"""gunicorn's log in the same format as all other lines, and an access log without secrets."""

import logging
import re
from datetime import timedelta
from logging.handlers import SysLogHandler
from typing import Any

from gunicorn import glogging

from embed.domain.clients import name_network, parse_client_address
from embed.logs.context import PAGE_ID, ROUTE
from embed.logs.lines import FIELDS, LineFormatter, log_everything_to, make_formatter
from embed.logs.redaction import Redactor
from embed.settings import Settings

# Monitoring requests these every few seconds.
_UNLOGGED = {"/healthz", "/readyz"}
_METHOD = re.compile(r"[A-Z]{1,20}")


class Logger(glogging.Logger):
    """Writes all of the process's lines to ``--error-logfile``.

    gunicorn's own access log has the request's full address, including the widget's key, and the
    client's address, so ``--access-logformat`` has no effect.
    """

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        settings = Settings.from_environ().with_secret_key()
        formatter = make_formatter(settings.log_format, Redactor(settings.secrets))
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            if getattr(handler, "_gunicorn", False):  # not from the operator's own configuration
                _use(formatter, handler)
        if not (cfg.logconfig or cfg.logconfig_dict or cfg.logconfig_json):
            log_everything_to(self.error_log.handlers, self.error_log.level)

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """Log a request by its route, which contains no one-time link and no key."""
        if not self.access_log_enabled or environ.get("PATH_INFO") in _UNLOGGED:
            return
        fields = _describe(resp, environ, request_time)
        shown = ["-" if value is None else str(value) for value in fields.values()]
        method, route, page_id, status, size, duration, client = shown
        message = f"{method} {route} {status}, {size} bytes, {duration} ms, {client}, {page_id}"
        self.access_log.info("%s", message, extra={FIELDS: fields})


def _use(formatter: LineFormatter, handler: logging.Handler) -> None:
    handler.setFormatter(formatter)
    if isinstance(handler, logging.FileHandler):  # no line may be lost, whatever the locale
        handler.close()
        handler.encoding, handler.errors = "utf-8", "backslashreplace"
        handler.stream = handler._open()
    if isinstance(handler, SysLogHandler):
        handler.ident = "embed: "


def _describe(resp: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
    method = str(environ.get("REQUEST_METHOD", ""))
    client = parse_client_address(str(environ.get("REMOTE_ADDR", "")))
    return {
        "method": method if _METHOD.fullmatch(method) else None,
        "route": environ.get(ROUTE),  # None: no route matches the path
        "pageId": environ.get(PAGE_ID),
        "status": int(str(resp.status).split()[0]),
        "bytes": resp.sent,
        "durationMs": round(request_time / timedelta(milliseconds=1), 1),
        "client": None if client is None else name_network(client),
    }
