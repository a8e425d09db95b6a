import socket
import ssl
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread, current_thread

import pytest
from support.certificates import make_certificate
from support.raw_server import send, serve_raw, trickle, wait

from embed.outbound import Client, Reach, RequestFailed

OK = b"HTTP/1.1 200 OK\r\n"
MAX_BYTES = 1000
SECRET = "key-that-nobody-may-read"


def ask(port: int, *, host: str = "127.0.0.1", reach: Reach = Reach.ANY, timeout_s: float = 10):
    with closing(Client(reach)) as client:
        return client.request(
            "POST",
            f"http://{host}:{port}/{SECRET}?key={SECRET}",
            b"body",
            headers={"Content-Type": "text/plain"},
            timeout_s=timeout_s,
            max_bytes=MAX_BYTES,
        )


def test_answer_is_returned_with_its_status_headers_and_body():
    with serve_raw(send(OK, b"Content-Length: 2\r\nRetry-After: 7\r\n\r\nhi")) as port:
        answer = ask(port)

    assert (answer.status, answer.retry_after_s, answer.body) == (200, 7, b"hi")


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    with serve_raw(lambda connection: connection.sendall(OK + LENGTH % 4 + b"fine")) as port:
        assert ask(port).body == b"fine"


def test_redirect_is_an_answer_and_is_not_followed():
    with serve_raw(lambda _: pytest.fail("followed")) as other:
        moved = b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:%d/\r\n" % other
        with serve_raw(send(moved, b"Content-Length: 0\r\n\r\n")) as port:
            assert ask(port).status == 307


@contextmanager
def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield free.getsockname()[1]


HUGE = b"a" * (MAX_BYTES + 1)
LENGTH = b"Content-Length: %d\r\n\r\n"
BAD_ANSWERS = {
    "nothing": (send(), "the connection failed"),
    "no HTTP": (send(b"hello\r\n\r\n"), "the connection failed"),
    "half a body": (send(OK, LENGTH % 10, b"half"), "the connection failed"),
    "a large body": (send(OK, LENGTH % len(HUGE), HUGE), "the answer is larger than 1,000 bytes"),
    "silence": (wait, "timed out"),
    "a head that trickles": (trickle(OK + b"X-Header: ", 0.05), "timed out"),
    "a body that trickles": (trickle(OK + LENGTH % 999, 0.05), "timed out"),
}


@pytest.mark.parametrize("kind", BAD_ANSWERS)
def test_answer_that_cannot_be_used_is_told_in_time_and_without_the_address(kind):
    answerer, reason = BAD_ANSWERS[kind]
    with serve_raw(answerer) as port, pytest.raises(RequestFailed) as failure:
        ask(port, timeout_s=1 if reason == "timed out" else 10)

    assert str(failure.value) == reason
    assert SECRET not in repr(failure.value)


def test_closed_port_and_unknown_names_are_told():
    with closed_port() as port, pytest.raises(RequestFailed, match="the connection was refused"):
        ask(port)
    with pytest.raises(RequestFailed, match="its name could not be resolved"):
        ask(80, host="nobody.invalid")


@pytest.fixture
def tls_port(tmp_path):
    """A server with a certificate that only itself vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(make_certificate(tmp_path / "both.pem"))
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.slow
def test_certificate_that_nobody_vouches_for_is_not_trusted(tls_port):
    with pytest.raises(RequestFailed, match="its certificate is not trusted: self-signed"):
        Client(Reach.ANY).request(
            "GET", f"https://localhost:{tls_port}", headers={}, timeout_s=10, max_bytes=9
        )


@contextmanager
def silent(port: int):
    """Let this port of 127.0.0.2 never answer: no more connections fit into its queue."""
    with socket.create_server(("127.0.0.2", port), backlog=0) as server, ExitStack() as opened:
        for _ in range(3):
            client = opened.enter_context(closing(socket.socket()))
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield server.getsockname()[1]


@pytest.fixture
def name(monkeypatch):
    """Return a function that gives the name several.example these addresses."""
    resolve, addresses = socket.getaddrinfo, []

    def find(host, *more, **how):
        names = addresses if host == "several.example" else [host]
        return [found for each in names for found in resolve(each, *more, **how)]

    monkeypatch.setattr(socket, "getaddrinfo", find)
    return addresses.extend


@pytest.mark.parametrize("first", ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
def test_name_is_reached_at_the_address_that_answers(name, first):
    """127.0.0.2 never answers, and 127.0.0.3 refuses."""
    others = {"127.0.0.1", "127.0.0.2", "127.0.0.3"} - {first}
    name([first, *sorted(others, reverse=True)])

    with serve_raw(send(OK, b"Content-Length: 2\r\n\r\nhi")) as port, silent(port):
        assert ask(port, host="several.example", timeout_s=5).body == b"hi"


def test_lookup_that_hangs_times_out_and_does_not_delay_the_end_of_the_process(monkeypatch):
    released, threads = Event(), []

    def hang(*_, **__):
        threads.append(current_thread())
        released.wait()

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with pytest.raises(RequestFailed, match="timed out"):
        ask(80, host="hanging.example", timeout_s=0.1)
    released.set()

    assert [thread.daemon for thread in threads] == [True]


def test_no_address_of_a_name_is_tried_that_is_not_allowed(name):
    name(["127.0.0.1", "127.0.0.2"])

    with (
        serve_raw(lambda _: pytest.fail("reached")) as port,
        pytest.raises(RequestFailed, match="inside the operator's network"),
    ):
        ask(port, host="several.example", reach=Reach.PUBLIC)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_operators_network_is_refused_when_the_socket_opens(host):
    with (
        serve_raw(lambda _: pytest.fail("reached")) as port,
        pytest.raises(RequestFailed, match="its address is inside the operator's network"),
    ):
        ask(port, host=host, reach=Reach.PUBLIC)


def test_name_that_resolves_differently_the_second_time_does_not_get_inside(monkeypatch):
    resolve = socket.getaddrinfo
    answers = iter(["203.0.113.7", "127.0.0.1", "127.0.0.1"])

    def rebind(host, port, *args, **kwargs):
        return resolve(
            next(answers) if host == "rebinding.example" else host, port, *args, **kwargs
        )

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    assert rebind("rebinding.example", 80)[0][4][0] == "203.0.113.7"  # as a check beforehand sees

    with (
        serve_raw(lambda _: pytest.fail("reached")) as port,
        pytest.raises(RequestFailed, match="inside the operator's network"),
    ):
        ask(port, host="rebinding.example", reach=Reach.PUBLIC)
