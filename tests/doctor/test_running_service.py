"""What flask doctor learns from the service that runs: by proxy, by HTTPS, and directly."""

from collections.abc import Iterator

import pytest
import requests
from proxied import PASSED_ON, Proxied, run_proxied
from support.certificates import make_certificate
from support.nginx import run_nginx
from support.remote import TIMEOUT_S
from support.servers import find_free_port, provide, run_gunicorn
from support.world import RANDOM_KEY

from embed.doctor.findings import NotChecked
from embed.doctor.probe import HEADER, ProbeSigner
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation
from embed.domain import times
from embed.settings import Settings

pytestmark = pytest.mark.slow

OTHER_KEY = "mQ3pXz9KvT6bWc2LrJ8yNf4HsGd5TaEu"


def ask(environ: dict[str, str]) -> set[str]:
    return {one.code for one in check_public_address(Installation.from_environ(environ), times.now)}


def test_trust_in_more_proxies_than_there_are_is_found(service):
    found = service.examine(service.write_server(), TRUSTED_PROXIES="2")

    # The service itself trusts one.
    assert set(found) == {"proxies_trusted_too_far", "settings_differ"}
    assert "Set TRUSTED_PROXIES=1" in found["proxies_trusted_too_far"].remedy


def test_proxy_that_replaces_the_clients_header_counts_as_one(service):
    replaced = PASSED_ON.replace("$proxy_add_x_forwarded_for", "$remote_addr")

    assert service.examine(service.write_server(passed_on=replaced)) == {}


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


def test_without_a_public_url_this_machine_is_asked(make_sqlite):
    environ = {"DATABASE_URL": make_sqlite(), "SECRET_KEY": RANDOM_KEY}
    with run_gunicorn(environ) as server:
        environ["PORT"] = str(server.port)

        assert ask(environ) == set()
        assert ask(environ | {"MAX_WALLETS": "7"}) == {"settings_differ"}


def test_without_a_public_url_nothing_has_to_answer():
    environ = {"SECRET_KEY": RANDOM_KEY, "PORT": str(find_free_port())}

    with pytest.raises(NotChecked, match="PUBLIC_URL is not set"):
        ask(environ)


def test_without_a_public_url_another_service_may_answer(service):
    sample = f'server {{ listen 127.0.0.1:{service.port}; return 200 "Welcome to nginx!"; }}'

    with service.run_proxy(sample), pytest.raises(NotChecked, match="this service does not answer"):
        service.ask(PUBLIC_URL="", PORT=str(service.port))


# HTTPS


@pytest.fixture(scope="module")
def secure(make_sqlite) -> Iterator[Proxied]:
    environ = {"DATABASE_URL": make_sqlite(), "SECRET_KEY": RANDOM_KEY}
    with run_proxied(environ, scheme="https") as service:
        yield service


def write_https(service: Proxied, certificate, **more: str) -> str:
    tls = f"ssl_certificate {certificate}; ssl_certificate_key {certificate};"
    sample = service.write_server(server=f"{tls} client_max_body_size 18m;", **more)
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


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Proto"])
def test_header_of_the_proxy_that_is_missing_is_found(secure, trusted, header):
    without = "\n".join(line for line in PASSED_ON.splitlines() if header not in line)

    found = secure.examine(write_https(secure, trusted, passed_on=without))

    assert set(found) == {"proxy_headers_missing"}
    assert header in found["proxy_headers_missing"].remedy


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

    assert b"probe_id" in told[1]
    assert get() == get(**{HEADER: sign(OTHER_KEY)}) == get(**{HEADER: "x"}) != told
