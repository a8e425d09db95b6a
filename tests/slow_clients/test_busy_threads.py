"""Requests that take long and requests that do not, in threads that take turns."""

import socket
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from support.remote import TIMEOUT_S, make_environ
from support.servers import run_gunicorn

pytestmark = pytest.mark.slow

CLIENTS, REQUESTS = 40, 60
MILLISECONDS = [0, 0, 0, 0, 1, 2, 3, 5, 20]


@pytest.fixture
def server(make_sqlite):
    environ = make_environ(make_sqlite())
    with run_gunicorn(environ, app="tests.support.sleeping_app:app") as server:
        yield server


def exchange(port: int, client: int) -> None:
    """Send requests, some of them before the answers to earlier ones, and compare all answers."""
    random = Random(client)
    with (
        socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection,
        connection.makefile("rb") as answers,
    ):
        sent = 0
        while sent < REQUESTS:
            count = random.choice([1, 1, 3])
            for number in range(sent, sent + count):
                body = f"{client} {number}".encode() * random.choice([1, 1, 500])
                head = (
                    f"POST /{client}/{number}?{random.choice(MILLISECONDS)} HTTP/1.1\r\n"
                    f"Host: a\r\nContent-Length: {len(body)}\r\n\r\n"
                ).encode()
                connection.sendall(head + body)
            for number in range(sent, sent + count):
                assert answers.readline() == b"HTTP/1.1 200 OK\r\n"
                while answers.readline() != b"\r\n":
                    pass
                path, _, body = answers.readline().decode().partition(" ")
                assert path == f"/{client}/{number}"
                assert set(body.split(f"{client} {number}")) <= {"", "\n"}
            sent += count


def test_answers_belong_to_their_requests_whichever_thread_handles_them(server):
    with ThreadPoolExecutor(CLIENTS) as pool:
        for client in [pool.submit(exchange, server.port, number) for number in range(CLIENTS)]:
            client.result()
