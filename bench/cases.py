"""The requests to the service and to bare Flask."""

import html
import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import cycle, repeat

from bench.clients import BROWSER, NICKNAME, Answer, Client, Owner, TrackedPage, Visitor
from bench.measures import NEW, READ, SUBMIT, Server, Subject
from bench.others import serve_bare_flask
from bench.service import Service, make_folder

VISIT = "a visit of someone who looks"
SESSIONS = 50  # that send submissions in turn
POLLS = 4  # of an unchanged page, in five minutes


def get(
    service: Service, row: str, path: str, headers: dict[str, str], status: int = 200
) -> Subject:
    return Subject(row, service.name, service, lambda client: client.get(path, headers, status))


def start_bare_flask(running: ExitStack, service: Service) -> Server:
    """Serve the exact bytes of the service's list with bare Flask."""
    page = service.page
    body = Client(service.port).get(page.list_path, page.headers).content
    return running.enter_context(serve_bare_flask(make_folder(running), body))


def read_bare_flask(
    bare: Server, service: Service, row: str = READ, column: str = "bare Flask"
) -> Subject:
    path = service.page.list_path
    return Subject(row, column, bare, lambda client: client.get(path, {}))


def read(service: Service) -> Subject:
    return get(service, READ, service.page.list_path, service.page.headers)


def open_widget(service: Service) -> Subject:
    """Measure the page that a new visitor loads."""
    return get(service, NEW, service.page.path, BROWSER)


def open_widget_again(service: Service) -> list[Subject]:
    """Measure the page for returning visitors; one of them has submitted a wallet."""
    page, client = service.page, Client(service.port)
    first = client.get(page.path, BROWSER)
    sender = client.get(page.path, BROWSER).cookie
    submit(page, repeat(sender), client, nickname="Sender")
    known = {"If-None-Match": find_etag(first)}
    return [
        get(service, f"widget page, {name}", page.path, BROWSER | headers, status)
        for name, headers, status in (
            ("returning visitor", {"Cookie": first.cookie}, 200),
            ("own submission pending", {"Cookie": sender}, 200),
            ("unchanged", known, 304),
        )
    ]


def visit(service: Service) -> Subject:
    """Measure all requests of a new visitor who only looks, in five minutes."""
    return Subject(VISIT, service.name, service, partial(look, service.page))


def look(page: TrackedPage, client: Client) -> None:
    opened = client.get(page.path, BROWSER)
    # Templates also name files, which are only loaded when someone adds a wallet.
    shown = re.sub(r"<template.*?</template>", "", opened.text, flags=re.DOTALL)
    for path in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', shown)):
        client.get(path, BROWSER)
    for _ in range(POLLS):
        client.get(page.path, BROWSER | {"If-None-Match": find_etag(opened)}, 304)


def find_etag(opened: Answer) -> str:
    return html.unescape(opened.find(r'data-etag="([^"]+)"'))


def submit_to(service: Service) -> Subject:
    """Measure the two requests of a submission."""
    client = Client(service.port)
    cookies = cycle([client.get(service.page.path, {}).cookie for _ in range(SESSIONS)])
    work = partial(submit, service.page, cookies)
    return Subject(
        SUBMIT, service.name, service, work, partial(service.delete_submissions, NICKNAME)
    )


def submit_to_bare_flask(bare: Server) -> Subject:
    work = partial(submit, TrackedPage("page", "key"), repeat(""))
    return Subject(SUBMIT, "bare Flask", bare, work)


def submit(
    page: TrackedPage, cookies: Iterator[str], client: Client, nickname: str = NICKNAME
) -> None:
    visitor = Visitor(client, page, next(cookies), nickname)
    visitor.ask_nonce()
    visitor.submit()


def open_dashboard(service: Service) -> list[Subject]:
    """Measure the owner's pages that read the most."""
    owner, folder = Owner(Client(service.port)), f"pages/{service.page.id}"
    paths = {"queue": f"{folder}/queue", "wallets": f"{folder}/wallets", "overview": ""}
    return [
        Subject(f"dashboard, {name}", service.name, service, partial(owner.open, path))
        for name, path in paths.items()
    ]
