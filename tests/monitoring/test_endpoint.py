"""Opening the address of metrics."""

import socket

import pytest
from servers import find_free_port

from embed.metrics.files import find_folder
from embed.monitoring import endpoint
from embed.monitoring.endpoint import open_endpoint
from embed.server.metrics import find_free_slot
from embed.settings import Settings, SettingsError

SECRET = {"SECRET_KEY": "a secret key for the metrics' tests"}


def make_settings(bind: str = "") -> Settings:
    return Settings.from_environ(SECRET | {"METRICS_BIND": bind})


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(endpoint, "_PAUSE_S", 0.0)


def test_nothing_listens_unless_it_is_set():
    assert open_endpoint(make_settings()) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_address_may_be_of_either_kind(host):
    port = find_free_port()
    opened = open_endpoint(make_settings(f"{host}:{port}"))
    folder = find_folder(host.strip("[]"), port)

    assert folder.exists()
    opened.close()
    assert not folder.exists()


def test_address_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        expected = f"^METRICS_BIND cannot be used: 127.0.0.1:{port}: Address already in use.$"
        with pytest.raises(SettingsError, match=expected):
            open_endpoint(make_settings(f"127.0.0.1:{port}"))


def test_address_that_a_predecessor_gives_up_soon_is_waited_for(monkeypatch):
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: other.close())

    open_endpoint(make_settings(f"127.0.0.1:{port}")).close()


def test_port_of_the_service_itself_is_refused():
    with pytest.raises(SettingsError, match="own port, 9100"):
        open_endpoint(make_settings("127.0.0.1:9100"), other_ports=[8000, 9100])


@pytest.mark.parametrize(
    ("used", "free"), [([], 0), ([0], 1), ([1], 0), ([0, 1, 3], 2), ([2, 0, 1], 3)]
)
def test_slot_is_the_first_that_no_living_process_has(used, free):
    assert find_free_slot(used) == free
