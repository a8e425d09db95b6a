"""What is measured: requests to the service on each database, and what they are compared with."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle

from support.servers import find_free_port, open_postgres, open_valkey

from bench.load import Request, Work, do_all, load_by_clients, load_with
from bench.measures import Subject
from bench.others import serve_bare_flask
from bench.running import Running
from bench.service import (
    ENVIRON,
    PENDING,
    Served,
    TrackedPage,
    insert,
    make_page,
    make_submission,
    open_new_database,
    serve,
)
from bench.visitors import BROWSER, Client, Owner, Visitor, check, find_cookie
from embed.db import connection
from embed.db.models import ApiKey, Person, Submission

WALLETS = 100
SESSIONS = 50  # whose submissions are sent in turn
PRESSES = 30  # in each round
POLLS = 4  # of a list in five minutes, in which nothing changes


@dataclass(frozen=True)
class Service:
    """The service with a page of WALLETS wallets on one database."""

    name: str
    served: Served
    page: TrackedPage
    database_url: str

    @contextmanager
    def change_database(self) -> Iterator[None]:
        connection.open_database(self.database_url)
        with connection.db.atomic():
            yield
        connection.db.close()


def start_services(running: Running) -> list[Service]:
    """Start the service on SQLite, on SQLite with limits in Redis, and on Postgres."""
    services = [start_service(running, "SQLite")]
    valkey = running.try_to_enter("Redis", open_valkey())
    if valkey is not None:
        limits = {"RATELIMIT_STORAGE_URI": f"redis+unix://{valkey.path}"}
        services.append(start_service(running, "SQLite and Redis", limits, others=(valkey.pid,)))
    postgres = running.try_to_enter("Postgres", open_postgres(fsync="on"))
    if postgres is not None:
        database = {"DATABASE_URL": postgres.create_database()}
        services.append(start_service(running, "Postgres", database, others=(postgres.pid,)))
    return services


def start_service(
    running: Running,
    name: str,
    settings: dict[str, str] | None = None,
    *,
    others: tuple[int, ...] = (),
    fill: Callable[[Person], object] = lambda owner: None,
) -> Service:
    """Start the service on a new database, which has a page and what `fill` adds to it."""
    new_file = {"DATABASE_URL": f"sqlite:///{running.make_folder()}/embed.db"}
    environ = ENVIRON | new_file | (settings or {})
    owner = open_new_database(environ["DATABASE_URL"])
    page = make_page(owner, WALLETS)
    with connection.db.atomic():
        fill(owner)
    connection.db.close()
    served = running.enter(serve(environ, others=others))
    return Service(name, served, page, environ["DATABASE_URL"])


def start_bare_flask(running: Running, *services: Service, worker: str = "gthread") -> Served:
    """Serve the very bytes of the services' pages by bare Flask."""
    bodies = {one.page.id: read_page(one.page).learn(one.served.port) for one in services}
    return running.enter(serve_bare_flask(running.make_folder(), bodies, worker))


def start_metered(running: Running) -> Service:
    address = f"127.0.0.1:{find_free_port()}"
    return start_service(running, "SQLite, with METRICS_BIND", {"METRICS_BIND": address})


# Reads


def read_bare_flask(bare: Served, service: Service) -> Subject:
    """Return the read of the same bytes."""
    request = Request(f"/api/embed/tracking/{service.page.id}")
    return Subject("bare Flask", bare, load_with(request, bare.port))


def read_page(page: TrackedPage) -> Request:
    return Request(f"/api/embed/tracking/{page.id}", page.headers)


def read(service: Service) -> Subject:
    load = load_with(read_page(service.page), service.served.port)
    return Subject(f"read, {service.name}", service.served, load)


def poll(service: Service) -> Subject:
    """Return the request with which a widget asks whether its list has changed."""
    page, port = service.page, service.served.port
    path, headers = f"/embed/api/tracking/{page.id}", page.headers | BROWSER
    etag = check(Client(port).send("GET", path, headers), 200).headers["ETag"]
    load = load_with(Request(path, headers | {"If-None-Match": etag}, status=304), port)
    return Subject(f"unchanged poll, {service.name}", service.served, load)


def open_widget(service: Service) -> Subject:
    load = load_with(Request(service.page.widget_path, BROWSER), service.served.port)
    return Subject(f"widget page, {service.name}", service.served, load)


# Submissions


def submit_to(service: Service) -> Subject:
    """Return the two requests of a submission: nonce and signed submission."""
    sessions = [
        find_cookie(Client(service.served.port).send("GET", service.page.widget_path, {}).headers)
        for _ in range(SESSIONS)
    ]
    return Subject(
        f"nonce and submission, {service.name}",
        service.served,
        load_by_clients(partial(submit, service.page, cycle(sessions)), service.served.port),
        partial(empty_queue, service),
    )


def submit_to_bare_flask(bare: Served) -> Subject:
    page = TrackedPage("page", "key")
    load = load_by_clients(partial(submit, page, cycle([""])), bare.port)
    return Subject("bare Flask, two POSTs", bare, load)


def submit(page: TrackedPage, sessions: Iterator[str], client: Client) -> None:
    visitor = Visitor(client, page, next(sessions))
    check(visitor.ask_nonce(), 200)
    check(visitor.submit(), 201)


def empty_queue(service: Service) -> None:
    """Delete what waits: it is counted at each submission, and so is what a visitor sent before."""
    with service.change_database():
        Submission.delete().where(Submission.status == "pending").execute()


# Approvals


class Presses:
    """An owner who approves as many waiting submissions in each press, of a page of their own."""

    def __init__(self, service: Service, owner: Owner, approvals: int) -> None:
        self._service, self._owner, self._approvals = service, owner, approvals
        self._works: list[Work] = []

    def prepare(self) -> None:
        with self._service.change_database():
            owner = Person.get()
            self._works = [self._prepare_press(owner) for _ in range(PRESSES)]

    def _prepare_press(self, owner: Person) -> Work:
        page_id = make_page(owner, 0).id
        key = ApiKey.get(ApiKey.page == page_id)
        rows = [
            make_submission(page_id, key.id, number, **PENDING) for number in range(self._approvals)
        ]
        insert(Submission, rows)
        return partial(self._press, page_id, [row["id"] for row in rows])

    def _press(self, page_id: str, ids: list[str], client: Client) -> None:
        check(self._owner.decide(client, page_id, "approve", ids), 303)

    def load(self, _seconds: float) -> int:
        """Press once for each page that was prepared."""
        return do_all(self._works, self._service.served.port, 1)


def approve_in_presses(service: Service, *counts: int) -> list[Subject]:
    """Return presses that approve so many submissions each."""
    owner = Owner.sign_in(Client(service.served.port))
    presses = {count: Presses(service, owner, count) for count in counts}
    return [
        Subject(f"{count} in one press", service.served, one.load, one.prepare)
        for count, one in presses.items()
    ]


# Whole visits


def list_visits(service: Service) -> list[Subject]:
    """Return what a browser asks for that was never here: all scripts, the list, five minutes."""
    works = {"somebody who looks": look, "somebody who submits": look_and_submit}
    return [
        Subject(
            f"{name}, {service.name}",
            service.served,
            load_by_clients(partial(work, service.page), service.served.port),
            partial(empty_queue, service),
        )
        for name, work in works.items()
    ]


def look(page: TrackedPage, client: Client) -> Visitor:
    visitor = Visitor(client, page)
    widget = check(visitor.open_widget(), 200)
    load_files(client, widget.text)
    check(visitor.read(), 200)
    for _ in range(POLLS):
        check(visitor.read(), 304)
    return visitor


def load_files(client: Client, html: str) -> None:
    """Load the styles and scripts that a document names, but for those of its templates."""
    shown = re.sub(r"<template.*?</template>", "", html, flags=re.DOTALL)
    for path in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', shown)):
        check(client.send("GET", path, BROWSER), 200)


def look_and_submit(page: TrackedPage, client: Client) -> None:
    visitor = look(page, client)
    check(visitor.ask_nonce(), 200)
    check(visitor.submit(), 201)
    for _ in range(POLLS):
        check(visitor.poll(), 200)
