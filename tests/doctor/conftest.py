"""The service behind a real nginx that may be configured in wrong ways."""

import ssl
from collections.abc import Iterator

import pytest
from proxied import Proxied, run_proxied
from support.certificates import make_certificate
from support.servers import find_free_port
from support.world import RANDOM_KEY


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls") / "both.pem")


@pytest.fixture
def trusted(certificate, monkeypatch):
    """A certificate for localhost that this process trusts."""
    monkeypatch.setenv(ssl.get_default_verify_paths().openssl_cafile_env, str(certificate))
    return certificate


@pytest.fixture(scope="module")
def service(make_sqlite) -> Iterator[Proxied]:
    """The service with one proxy, whose address is its PUBLIC_URL."""
    environ = {
        "DATABASE_URL": make_sqlite(),
        "SECRET_KEY": RANDOM_KEY,
        # Exporting metrics changes nothing of what is found.
        "METRICS_BIND": f"127.0.0.1:{find_free_port()}",
    }
    with run_proxied(environ) as service:
        yield service
