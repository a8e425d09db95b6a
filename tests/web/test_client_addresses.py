"""Clients' addresses are counted for a while, and never stored."""

import pytest
from support.owner_browser import OwnerBrowser
from support.world import Visitor, with_session

from embed.db.connection import db
from embed.domain.clients import name_network, parse_client_address

CLIENT = "203.0.113.77"


def read_everything() -> str:
    return repr(
        [
            db.execute_sql(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608
            for table in db.get_tables()
        ]
    )


def test_no_column_of_any_table_holds_one(world):
    come_from = {"environ_base": {"REMOTE_ADDR": CLIENT}}
    visitor = with_session(world)
    world.submit(visitor, "Ann", **come_from)
    world.submit(visitor, "Ann", **come_from)  # refused
    world.show_records(visitor, **come_from)
    world.withdraw(visitor, **come_from)
    world.read(headers={"Origin": "https://evil.example"}, **come_from)
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    owner.client.environ_base["REMOTE_ADDR"] = CLIENT
    owner.post(f"/dashboard/pages/{world.page_id}/tags", name="team", color="green")

    stored = read_everything()

    assert "evil.example" in stored
    assert "team" in stored
    assert CLIENT not in stored


def test_counters_name_none_and_are_deleted_when_their_time_is_over(world, monkeypatch):
    (limiter,) = world.app.extensions["limiter"]
    counters = limiter.storage
    world.ask_nonce(Visitor(), environ_base={"REMOTE_ADDR": CLIENT})
    keys = set(counters._windows)
    assert any("rate_limit_ip" in key for key in keys)
    assert not any(CLIENT in key for key in keys)

    ends_at = max(window.ends_at for window in counters._windows.values())
    monkeypatch.setattr("embed.rate_limits.storages.time.time", lambda: ends_at + 1)
    counters._sweep_at = 0.0  # which comes once a minute
    world.ask_nonce(Visitor(), environ_base={"REMOTE_ADDR": "198.51.100.1"})

    own = {key for key in keys if "rate_limit_ip" in key}
    assert own.isdisjoint(counters._windows)


@pytest.mark.parametrize(
    ("raw", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("203.0.113.77:4711", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("[2001:db8:1:2::]", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
    ],
)
def test_network_of_a_client(raw, network):
    ip = parse_client_address(raw)

    assert ip is not None
    assert name_network(ip) == network


@pytest.mark.parametrize("raw", ["", "unix:", "203.0.113.777"])
def test_other_text_is_no_address(raw):
    assert parse_client_address(raw) is None
