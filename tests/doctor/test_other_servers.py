"""What flask doctor finds at the servers that the service needs: Redis, RPC, mail, webhooks."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from certificates import make_certificate
from receivers import run_http_receiver, run_mail_server
from rpc_faults import HTML, answer_status, change, hang
from servers import find_free_port, open_valkey, provide
from world import RANDOM_KEY, one_database

from embed import pages
from embed.demo.ledger.rpc_server import run_rpc
from embed.doctor import mail, rpc, webhooks
from embed.doctor.findings import Finding, NotChecked
from embed.doctor.mail import check_mail
from embed.doctor.redis_servers import check_limits
from embed.doctor.rpc import check_rpc
from embed.doctor.webhooks import check_webhooks
from embed.notifications import receivers
from embed.settings import Settings

pytestmark = pytest.mark.slow

MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
DEVNET = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
TESTNET = "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"


def read(**environ: str) -> Settings:
    return Settings.from_environ({"SECRET_KEY": RANDOM_KEY} | environ)


def by_code(findings: Iterator[Finding]) -> dict[str, str]:
    return {finding.code: finding.problem for finding in findings}


# Redis


def test_redis_that_has_stopped_is_found():
    for redis in provide(open_valkey):
        settings = read(RATELIMIT_STORAGE_URI=f"redis+unix://{redis.path}")
        before = by_code(check_limits(settings))
        redis.stop()
        after = by_code(check_limits(settings))
        redis.start()

    assert before == {}
    assert set(after) == {"redis_unreachable"}


def tell(redis, command: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(redis.path))
        client.sendall(f"{command}\r\n".encode())
        assert client.recv(100).startswith(b"+OK")


@pytest.mark.parametrize("command", ["CONFIG SET requirepass hush", "REPLICAOF 127.0.0.1 {port}"])
def test_redis_that_answers_and_does_not_count_is_found(command):
    for redis in provide(open_valkey):
        tell(redis, command.format(port=find_free_port()))
        found = by_code(check_limits(read(RATELIMIT_STORAGE_URI=f"redis+unix://{redis.path}")))

    assert set(found) == {"redis_unreachable"}


def test_limits_in_memory_need_no_redis():
    assert by_code(check_limits(read())) == {}


# RPC


def name_network(name: str):
    return change(lambda answer: (answer.pop("error", None), answer.update(result=name)))


@pytest.fixture
def two_endpoints(ledger):
    with run_rpc(ledger) as one, run_rpc(ledger) as other:
        yield one, other


def find_rpc(*endpoints) -> dict[str, str]:
    return by_code(check_rpc(read(SOLANA_RPC_URL=",".join(each.url for each in endpoints))))


def test_endpoints_that_answer_are_fine(two_endpoints):
    assert find_rpc(*two_endpoints) == {}  # they refuse to tell their network
    for each in two_endpoints:
        each.fail(name_network(MAINNET))
    assert find_rpc(*two_endpoints) == {}
    assert by_code(check_rpc(read())) == {}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(answer_status(403), "HTTP status 403"), (HTML, "another form"), (name_network("<"), "hash")],
    ids=["refuses the key", "is a site", "answers something else"],
)
def test_endpoint_that_does_not_answer_usably_is_found_by_its_number(two_endpoints, fault, reason):
    two_endpoints[1].fail(fault)

    found = find_rpc(*two_endpoints)

    assert set(found) == {"rpc_unreachable"}
    assert found["rpc_unreachable"].startswith("Endpoint 2 of 2 in SOLANA_RPC_URL")
    assert reason in found["rpc_unreachable"]
    assert "secret" not in found["rpc_unreachable"]


def test_endpoint_that_hangs_does_not_keep_the_others_waiting(two_endpoints, monkeypatch):
    monkeypatch.setattr(rpc, "_TIMEOUT_S", 4)
    two_endpoints[0].fail(hang)

    found = find_rpc(*two_endpoints)

    assert set(found) == {"rpc_unreachable"}
    assert "Endpoint 1 of 2" in found["rpc_unreachable"]
    assert "timed out" in found["rpc_unreachable"]


def test_endpoints_of_different_networks_are_found(two_endpoints):
    for each, network in zip(two_endpoints, (MAINNET, DEVNET), strict=True):
        each.fail(name_network(network))

    found = find_rpc(*two_endpoints)

    assert set(found) == {"rpc_networks_differ"}
    assert "1 to mainnet, 2 to devnet" in found["rpc_networks_differ"]


@pytest.mark.parametrize(("network", "name"), [(DEVNET, "devnet"), (TESTNET, "testnet")])
def test_network_for_tests_is_found(endpoint, network, name):
    endpoint.fail(name_network(network))

    found = find_rpc(endpoint)

    assert set(found) == {"rpc_test_network"}
    assert f"leads to {name}" in found["rpc_test_network"]


# Mail

plain_login = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")


@plain_login
def test_mail_server_that_accepts_the_login_is_fine_and_gets_no_mail():
    with run_mail_server(user="embed", password="p/ss: word") as server:
        url = f"smtp://embed:p%2Fss%3A%20word@127.0.0.1:{server.port}"
        found = by_code(check_mail(read(SMTP_URL=url)))

        assert found == {}
        assert server.messages == []


def test_mail_server_without_login_is_fine_and_none_too():
    with run_mail_server() as server:
        assert by_code(check_mail(read(SMTP_URL=f"smtp://127.0.0.1:{server.port}"))) == {}
    assert by_code(check_mail(read())) == {}


@plain_login
def test_mail_server_that_refuses_the_login_is_found():
    with run_mail_server(user="embed", password="right") as server:
        url = f"smtp://embed:hush@127.0.0.1:{server.port}"
        found = by_code(check_mail(read(SMTP_URL=url)))

    assert set(found) == {"smtp_login_refused"}
    assert "hush" not in str(found)


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_mail_server_that_is_not_there_is_found(scheme):
    found = by_code(check_mail(read(SMTP_URL=f"{scheme}://u:hush@127.0.0.1:{find_free_port()}")))

    assert found == {
        "smtp_unreachable": "No mail can be sent through the server in SMTP_URL: the connection"
        " was refused."
    }


def test_mail_server_that_is_silent_is_found(monkeypatch):
    monkeypatch.setattr(mail, "_TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"smtp://127.0.0.1:{silent.getsockname()[1]}"
        found = by_code(check_mail(read(SMTP_URL=url)))

    assert set(found) == {"smtp_unreachable"}


# Webhooks


@pytest.fixture
def add_webhook(world):
    def add(url: str) -> None:
        settings = read(ALLOW_PRIVATE_TARGETS="1")
        receivers.add_webhook(world.page_id, url, settings=settings, now=world.clock())

    return add


@one_database
def test_webhook_that_can_be_reached_is_fine_and_gets_nothing(add_webhook):
    with run_http_receiver() as receiver:
        add_webhook(receiver.url)
        found = by_code(check_webhooks(read(ALLOW_PRIVATE_TARGETS="1")))

    assert found == {}
    assert receiver.received == []


@one_database
def test_webhook_that_cannot_be_reached_is_found_without_its_path(add_webhook):
    port = find_free_port()
    add_webhook(f"http://127.0.0.1:{port}/hush")
    add_webhook(f"http://127.0.0.1:{port}/hush-hush")

    found = by_code(check_webhooks(read(ALLOW_PRIVATE_TARGETS="1")))

    assert found == {
        "webhook_unreachable": f"2 webhooks lead to http://127.0.0.1:{port}, which cannot be"
        " reached: the connection was refused."
    }


@one_database
def test_webhook_inside_the_network_is_found_where_that_is_not_allowed(add_webhook):
    with run_http_receiver() as receiver:
        add_webhook(receiver.url)
        (found,) = check_webhooks(read())

    assert found.code == "webhook_unreachable"
    assert "inside the operator's network" in found.problem
    assert "ALLOW_PRIVATE_TARGETS=1" in found.remedy


@contextmanager
def run_tls(certificate: Path) -> Iterator[int]:
    """Answer TLS handshakes, and yield the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve() -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                connection, _ = listener.accept()
                with suppress(OSError), context.wrap_socket(connection, server_side=True) as tls:
                    tls.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@one_database
def test_webhook_whose_certificate_is_not_trusted_is_found(add_webhook, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path / "both.pem")
    with run_tls(certificate) as port:
        add_webhook(f"https://localhost:{port}/hook")
        refused = by_code(check_webhooks(read(ALLOW_PRIVATE_TARGETS="1")))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        accepted = by_code(check_webhooks(read(ALLOW_PRIVATE_TARGETS="1")))

    assert "its certificate is not trusted" in refused["webhook_unreachable"]
    assert accepted == {}


@one_database
def test_webhook_of_a_deleted_page_does_not_matter(world, add_webhook):
    add_webhook(f"http://127.0.0.1:{find_free_port()}/")
    pages.delete_page(world.page_id, world.clock())

    assert by_code(check_webhooks(read())) == {}


@one_database
def test_very_many_servers_are_not_all_asked(add_webhook, monkeypatch):
    monkeypatch.setattr(webhooks, "MOST_SERVERS", 1)
    with run_http_receiver() as receiver:
        add_webhook(receiver.url)
        add_webhook(f"http://127.0.0.1:{find_free_port()}/")

        with pytest.raises(NotChecked, match="Only 1 of 2"):
            list(check_webhooks(read(ALLOW_PRIVATE_TARGETS="1")))
