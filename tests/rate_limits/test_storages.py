"""Which addresses of storages are accepted."""

import pytest
from support.servers import find_free_port

from embed.rate_limits.storages import check_storage
from embed.settings import SettingsError

IMPOSSIBLE = [
    "redis+sentinel://127.0.0.1:1",  # no service
    "redis+cluster://127.0.0.1",  # no port
    "redis+cluster://",
    "redis://127.0.0.1:1?socket_timeout=soon",
    "redis://127.0.0.1:1?unheard_of=1",
    "carrier-pigeon://127.0.0.1",
]


@pytest.mark.parametrize("uri", IMPOSSIBLE)
def test_storage_that_can_never_be_reached_is_refused_in_one_line(uri):
    with pytest.raises(SettingsError, match=r"^RATELIMIT_STORAGE_URI cannot be used: .+$") as told:
        check_storage(uri)

    assert "\n" not in str(told.value)


@pytest.mark.parametrize("scheme", ["redis", "valkey"])
def test_storage_that_is_away_is_no_mistake(scheme):
    check_storage(f"{scheme}://127.0.0.1:{find_free_port()}")


def test_storage_that_answers_is_none_either(redis_url):
    for uri in ("memory://", redis_url):
        check_storage(uri)
