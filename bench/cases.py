"""The requests that are measured."""

import html
import re
from functools import partial
from itertools import cycle

from support.world import Visitor, another_wallet, with_session

from bench.clients import Answer, Client, Server
from bench.measures import Subject
from bench.others import write_comment
from bench.service import Service

READ, NEW, SUBMIT = "read of the list, as JSON", "widget page, new visitor", "nonce and submission"
VISIT = "a visit of someone who looks"
SESSIONS = 50  # that send submissions in turn
POLLS = 4  # of an unchanged page, in five minutes


def read(server: Server, row: str = READ) -> Subject:
    return Subject(row, server, Client.read)


def open_widget(service: Service) -> Subject:
    """Measure the page that a new visitor loads."""
    return Subject(NEW, service, lambda client: client.get(client.widget_path))


def open_widget_again(service: Service) -> list[Subject]:
    """Measure the page for returning visitors; one of them has submitted a wallet."""
    client, visitor = Client(service), Visitor()
    opened, sender = client.open_widget(visitor), with_session(client)
    client.submit(sender, "Sender", status=201)
    own = client.widget_path.replace("?", "/own?")
    pending = {"Cookie": f"embed_session={sender.cookie}"}
    own_etag = find_etag(client.get(own, pending))
    return [
        Subject(
            f"widget page, {name}",
            service,
            partial(Client.get, path=client.widget_path, headers=headers, status=status),
        )
        for name, headers, status in (
            ("returning visitor", {"Cookie": f"embed_session={visitor.cookie}"}, 200),
            ("own submission pending", {"Cookie": f"embed_session={sender.cookie}"}, 200),
        )
    ] + [
        Subject(
            f"widget poll, {name}",
            service,
            partial(Client.get, path=path, headers=headers, status=304),
        )
        for name, path, headers in (
            ("unchanged", f"{client.widget_path}&part=rows", {"If-None-Match": find_etag(opened)}),
            ("own submission pending", own, pending | {"If-None-Match": own_etag}),
        )
    ]


def open_part(service: Service) -> list[Subject]:
    """Measure what the widget's script asks for: 25 rows in another order, and a search."""
    paths = {"25 rows": "order=newest", "search": "q=a"}
    return [
        Subject(
            f"widget part, {name}",
            service,
            partial(Client.get, path=f"{Client(service).widget_path}&part=rows&{query}"),
        )
        for name, query in paths.items()
    ]


def visit(service: Service) -> Subject:
    """Measure all requests of a new visitor who only looks, in five minutes."""
    return Subject(VISIT, service, look)


def look(client: Client) -> None:
    opened = client.get(client.widget_path)
    # Templates also name files, which are only loaded when someone adds a wallet.
    shown = re.sub(r"<template.*?</template>", "", opened.text, flags=re.DOTALL)
    for path in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', shown)):
        client.get(path)
    for _ in range(POLLS):
        poll = f"{client.widget_path}&part=rows"
        client.get(poll, {"If-None-Match": find_etag(opened)}, status=304)


def find_etag(opened: Answer) -> str:
    return html.unescape(re.search(r'data-etag="([^"]+)"', opened.text)[1])


def submit(service: Service) -> Subject:
    """Measure the two requests of a submission."""
    client = Client(service)
    visitors = cycle([with_session(client) for _ in range(SESSIONS)])
    return Subject(
        SUBMIT,
        service,
        lambda client: client.submit(another_wallet(next(visitors)), status=201),
        service.delete_submissions,
    )


def submit_to_bare_flask(bare: Server) -> Subject:
    return Subject(SUBMIT, bare, lambda client: client.submit(Visitor(), status=201))


def use_isso(isso: Server) -> list[Subject]:
    """Measure comparable requests; Isso renders Markdown for each answer, except with plain=1."""
    return [
        Subject(READ, isso, lambda client: client.get("/?uri=/a-page/&plain=1")),
        Subject(NEW, isso, lambda client: client.get("/?uri=/a-page/")),
        Subject(SUBMIT, isso, partial(write_comment, "/another/")),
    ]


def read_datasette(datasette: Server) -> Subject:
    path = "/tracking.json?sql=SELECT+*+FROM+wallet+ORDER+BY+number&_shape=array"
    return Subject(READ, datasette, lambda client: client.get(path))


def open_dashboard(service: Service) -> list[Subject]:
    """Measure the owner's pages that read the most."""
    folder = f"/dashboard/pages/{service.page_id}"
    paths = {"queue": f"{folder}/queue", "wallets": f"{folder}/wallets", "overview": "/dashboard/"}
    return [
        Subject(
            f"dashboard, {name}", service, partial(Client.get, path=path, headers=service.owner)
        )
        for name, path in paths.items()
    ]
