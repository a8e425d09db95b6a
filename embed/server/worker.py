"""gunicorn's worker, with threads that never wait for a client."""

import os
import sys
import time
from datetime import datetime
from typing import Any

from gunicorn.http import wsgi
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.workers.base import Worker

from embed.logs.context import begin_request, end_request
from embed.server.connection import Connection
from embed.server.framing import IsSignedIn
from embed.server.loop import EXTRA_CONNECTIONS, Loop
from embed.server.open_files import allow_open_files
from embed.server.processes import REPLACED_AFTER
from embed.server.refusals import find_status, write_refusal
from embed.server.turns import Turns

_OTHER_FILES = 100  # that a process opens beside its connections, databases included


class BufferingWorker(Worker):
    """Receives whole requests before it handles them, and sends what clients are slow to read."""

    # A client may do nothing for so long while it sends a request, reads an answer or hangs up.
    # One that is slower than this rate gets no more time: 16 MiB may take 522 s.
    patience_s = 10.0
    bytes_per_s = 32 * 1024
    # What each connection may keep in memory, and what all that keep more may keep together: of
    # requests, and as much again of answers.
    small_bytes = 64 * 1024
    large_bytes_in_all = 64 * 1024 * 1024

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Any cookie will do, unless gunicorn.conf.py knows the app.
        self.is_signed_in: IsSignedIn = bool
        self._loop: Loop
        self._turns: Turns
        self._is_told_to_stop = False
        self._ends_at: float | None = None
        self._has_turned = False  # lately
        self._has_ended = False
        if self.cfg.workers == 1 and self.cfg.max_requests == REPLACED_AFTER:
            self.max_requests = sys.maxsize  # nobody would serve until another has begun

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with a sentence if the worker cannot work with these options."""
        if cfg.is_ssl:
            sys.exit("Error: TLS needs a proxy in front, or --worker-class gthread.")
        needed = cfg.worker_connections + EXTRA_CONNECTIONS + _OTHER_FILES
        allowed = allow_open_files(needed)
        if allowed < needed:
            sys.exit(
                f"Error: {cfg.worker_connections} connections need {needed} open files, and the"
                f" system allows {allowed} (ulimit -Hn). Set fewer: --worker-connections."
            )

    # The process

    def init_process(self) -> None:
        self._loop = Loop(self)
        self._turns = Turns(self._take_turn)
        super().init_process()  # which calls run

    def run(self) -> None:
        """Let threads run the loop until the process is to end."""
        self._turns.start(self._loop.most_at_a_time + 1)
        while not self._has_ended:
            if self._has_turned:  # else gunicorn replaces the process after a while
                self._has_turned = False
                self.notify()
            if self.ppid != os.getppid():
                self.log.info("Parent changed, shutting down: %s", self)
                self.alive = False
            self._turns.watch()

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._is_told_to_stop = True
        super().handle_exit(sig, frame)
        self._loop.wake()

    def _take_turn(self) -> bool:
        """Take a turn of the loop; return whether this thread is to take the next one, too."""
        if not self.alive and self._is_over():
            self._has_ended = True
            self._turns.wake()
            return False
        conn = self._loop.turn()
        self._has_turned = True
        if conn is None:
            return True
        task = self._turns.begin_task()
        is_kept = self.handle(conn)
        if self._turns.end_task(task):
            self._loop.finish(conn, is_kept)
            return True
        self._loop.finish_later(conn, is_kept)
        return False

    def _is_over(self) -> bool:
        """Tell whether a process that is to end has nothing left to do, or no time."""
        if self._ends_at is None:
            self._ends_at = time.monotonic() + self.cfg.graceful_timeout
        self._loop.begin_end(is_replaced=not self._is_told_to_stop)
        return self._loop.is_empty or time.monotonic() > self._ends_at

    # A request

    def handle(self, conn: Connection) -> bool:
        """Answer a request, all of which is in memory; return whether the connection is kept."""
        try:
            return self._respond(conn) and _drop_rest(conn)
        except BaseException as error:
            self.refuse(conn, error)
        return False

    def refuse(self, conn: Connection, error: BaseException) -> None:
        """Refuse what is not valid HTTP, and answer 500 for what fails outside the app.

        gunicorn's own sentences quote the request and the client's address.
        """
        if isinstance(error, (StopIteration, NoMoreData)):
            self.log.debug("The client ended the connection: %s", error)
            return
        begin_request(write_refusal(conn, find_status(error)))
        if isinstance(error, ParseException):
            self.log.warning("Refused what is not valid HTTP: %s.", type(error).__name__)
        else:
            self.log.exception("A request failed outside the app.")
        end_request()

    def _respond(self, conn: Connection) -> bool:
        """Let the app answer, as gunicorn's own workers do."""
        request = conn.request
        began_at = datetime.now()
        response, environ = None, {}
        self.cfg.pre_request(self, request)
        try:
            response, environ = wsgi.create(request, conn, conn.client, conn.server, self.cfg)
            environ["wsgi.multithread"] = True
            if self._is_last(conn):
                response.force_close()
            body = self.wsgi(environ, response.start_response)
            try:
                for piece in body:
                    response.write(piece)
                    conn.flush()  # it may take long until the next one
                response.close()
            finally:
                self.log.access(response, request, environ, datetime.now() - began_at)
                if hasattr(body, "close"):
                    body.close()
            return not response.should_close()
        except BaseException as error:
            if response is None or not response.headers_sent:
                raise
            if not isinstance(error, ConnectionError):  # the client has hung up
                self.log.exception("An answer was not finished.")
            return False
        finally:
            try:
                self.cfg.post_request(self, request, environ, response)
            except Exception:
                self.log.exception("The hook post_request failed.")

    def _is_last(self, conn: Connection) -> bool:
        """Count a request, and tell whether it is the last one of its connection."""
        self.nr += 1
        if self.nr >= self.max_requests and self.alive:
            self.log.info("Autorestarting worker after current request.")
            self.alive = False
        is_kept = self.alive and self.cfg.keepalive and self._loop.has_place(conn)
        return not is_kept or not conn.is_whole


def _drop_rest(conn: Connection) -> bool:
    """Drop what the app did not read of a body; return whether it is known where it ends."""
    try:
        return conn.parser.finish_body() is True
    except ParseException:
        return False
