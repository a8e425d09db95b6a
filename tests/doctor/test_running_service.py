"""What flask doctor learns from the service that runs: by proxy, by HTTPS, and directly."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import requests
from certificates import make_certificate
from nginx import run_nginx
from proxied import PASSED_ON, Proxied
from remote import TIMEOUT_S
from servers import find_free_port, open_valkey, provide, run_gunicorn
from world import RANDOM_KEY

from embed.doctor.findings import Finding, NotChecked
from embed.doctor.probe import HEADER, ProbeSigner
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation
from embed.domain import times
from embed.settings import Settings

pytestmark = pytest.mark.slow

OTHER_KEY = "mQ3pXz9KvT6bWc2LrJ8yNf4HsGd5TaEu"


@contextmanager
def run_proxied(make_sqlite, *, scheme: str = "http", **variables: str) -> Iterator[Proxied]:
    environ = {"DATABASE_URL": make_sqlite(), "SECRET_KEY": RANDOM_KEY} | variables
    service = Proxied(environ, scheme=scheme)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def ask(environ: dict[str, str]) -> set[str]:
    return {one.code for one in check_public_address(Installation.from_environ(environ), times.now)}


@pytest.mark.parametrize(
    ("trusted", "code"), [("0", "proxies_not_trusted"), ("2", "proxies_trusted_too_far")]
)
def test_wrong_number_of_proxies_is_found(make_sqlite, trusted, code):
    with run_proxied(make_sqlite, TRUSTED_PROXIES=trusted) as service:
        found = service.examine(service.write_server())

    assert set(found) == {code}
    assert "Set TRUSTED_PROXIES=1" in found[code].remedy


def test_proxy_that_replaces_the_clients_header_counts_as_one(service):
    replaced = PASSED_ON.replace("$proxy_add_x_forwarded_for", "$remote_addr")

    assert service.examine(service.write_server(passed_on=replaced)) == {}


def test_trust_without_any_proxy_is_found(make_sqlite):
    with run_gunicorn(
        {"DATABASE_URL": make_sqlite(), "SECRET_KEY": RANDOM_KEY, "TRUSTED_PROXIES": "1"}
    ) as server:
        environ = {"PUBLIC_URL": server.url, "SECRET_KEY": RANDOM_KEY, "TRUSTED_PROXIES": "1"}
        found = ask(environ)

    # The service was started without PUBLIC_URL and with another database than the default.
    assert found == {"proxies_trusted_too_far", "settings_differ"}


def test_nothing_is_wrong_with_a_service_that_exports_metrics(make_sqlite):
    bind = f"127.0.0.1:{find_free_port()}"
    with run_proxied(make_sqlite, METRICS_BIND=bind) as service:
        assert service.examine(service.write_server()) == {}


# Settings of the command and of the service


def test_other_settings_than_the_commands_are_found(service):
    found = service.examine(
        service.write_server(), DATABASE_URL="sqlite:////srv/other.db", MAX_WALLETS="7"
    )

    assert set(found) == {"settings_differ"}
    assert "values of DATABASE_URL, MAX_WALLETS than" in found["settings_differ"].problem


def test_another_key_than_the_services_is_found(service):
    found = service.examine(service.write_server(), SECRET_KEY=OTHER_KEY)

    assert set(found) == {"secret_key_differs"}


def test_key_that_is_being_replaced_is_still_known(service):
    assert service.examine(service.write_server(), SECRET_KEY=f"{RANDOM_KEY},{OTHER_KEY}") == {}


def test_other_key_and_other_host_are_found_as_the_host(service):
    sample = service.write_server("proxy_set_header Host backend.internal;", passed_on="")

    assert set(service.examine(sample, SECRET_KEY=OTHER_KEY)) == {"host_mismatch"}


def test_without_a_key_nothing_is_asked(service, monkeypatch, tmp_path):
    monkeypatch.setattr("embed.settings.INSTANCE_DIR", tmp_path / "instance")

    with pytest.raises(NotChecked, match="no usable SECRET_KEY"):
        service.ask(SECRET_KEY="")

    assert list(tmp_path.iterdir()) == []


def test_service_that_was_not_restarted_after_an_upgrade_is_found(service, monkeypatch):
    monkeypatch.setattr("embed.doctor.public_address.__version__", "99.0.0")

    found = service.examine(service.write_server())

    assert set(found) == {"service_outdated"}
    assert "this command is 99.0.0" in found["service_outdated"].problem


def test_nothing_is_wrong_behind_the_sample_of_nginx(make_sqlite):
    port = find_free_port()
    for url in provide(lambda: run_nginx(port)):
        environ = {
            "DATABASE_URL": make_sqlite(),
            "SECRET_KEY": RANDOM_KEY,
            "PUBLIC_URL": url,
            "TRUSTED_PROXIES": "1",
        }
        with run_gunicorn(environ, "--bind", f"127.0.0.1:{port}"):
            assert ask(environ) == set()


# Without PUBLIC_URL


def test_service_that_others_reach_without_a_public_url_is_found(make_sqlite):
    environ = {"DATABASE_URL": make_sqlite(), "SECRET_KEY": RANDOM_KEY}
    open_port = find_free_port()
    with run_gunicorn(environ, "--bind", f"0.0.0.0:{open_port}") as server:
        everybody = ask(environ | {"PORT": str(open_port)})
        this_machine = ask(environ | {"PORT": str(server.port)})

    assert everybody == {"public_url_missing"}
    assert this_machine == set()


def test_without_a_public_url_nothing_has_to_answer():
    environ = {"SECRET_KEY": RANDOM_KEY, "PORT": str(find_free_port())}

    with pytest.raises(NotChecked, match="PUBLIC_URL is not set"):
        ask(environ)


# HTTPS


@pytest.fixture(scope="module")
def secure(make_sqlite) -> Iterator[Proxied]:
    with run_proxied(make_sqlite, scheme="https") as service:
        yield service


def write_https(service: Proxied, certificate, **more: str) -> str:
    tls = f"ssl_certificate {certificate}; ssl_certificate_key {certificate};"
    sample = service.write_server(server=f"{tls} client_max_body_size 5m;", **more)
    return sample.replace(f"127.0.0.1:{service.port};", f"127.0.0.1:{service.port} ssl;")


def test_https_as_documented_is_fine(secure, trusted):
    assert secure.examine(write_https(secure, trusted)) == {}


def test_certificate_that_nobody_trusts_is_found(secure, certificate):
    found = secure.examine(write_https(secure, certificate))

    assert set(found) == {"certificate_invalid"}
    assert "self-signed certificate" in found["certificate_invalid"].problem


def test_certificate_that_ends_soon_is_found(secure, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path / "both.pem", days=5)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    assert set(secure.examine(write_https(secure, certificate))) == {"certificate_expiring"}


def test_scheme_that_is_not_passed_on_is_found(secure, trusted):
    without = "\n".join(line for line in PASSED_ON.splitlines() if "Proto" not in line)

    found = secure.examine(write_https(secure, trusted, passed_on=without))

    assert set(found) == {"proxy_headers_missing"}
    assert "X-Forwarded-Proto" in found["proxy_headers_missing"].remedy


# Limits


def ask_until_fallen_back(service: Proxied) -> dict[str, Finding]:
    """Ask until the answer comes within the five seconds in which the service tries no Redis."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        requests.get(service.url, timeout=TIMEOUT_S)
        found = service.ask()
        if found or time.monotonic() > deadline:
            return found


def test_service_that_has_fallen_back_is_found(make_sqlite):
    with open_valkey() as redis:
        uri = f"redis+unix://{redis.path}"
        with run_proxied(make_sqlite, RATELIMIT_STORAGE_URI=uri) as service:
            with service.run_proxy(service.write_server()):
                before = service.ask()
                redis.stop()
                after = ask_until_fallen_back(service)
            redis.start()

    assert (set(before), set(after)) == (set(), {"limits_fallen_back"})


# Strangers


def sign(key: str, **variables: str) -> str:
    settings = Settings.from_environ({"SECRET_KEY": key} | variables)
    return ProbeSigner([key], times.now).sign(settings)[1]


def test_strangers_are_told_nothing(service):
    def get(**headers: str) -> tuple[int, bytes]:
        answer = requests.get(
            service.backend + "/api/embed/x",
            headers={"Host": "127.0.0.1", **headers},
            timeout=TIMEOUT_S,
        )
        return answer.status_code, answer.content

    told = get(**{HEADER: sign(RANDOM_KEY)})

    assert b"client_address" in told[1]
    assert get() == get(**{HEADER: sign(OTHER_KEY)}) == get(**{HEADER: "x"}) != told
