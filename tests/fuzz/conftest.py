"""One service for all examples; rate limits do not stop them."""

import pytest
from raw_requests import RawClient
from support.remote import make_environ
from support.world import Clock, Visitor, World

from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings


@pytest.fixture(scope="module")
def world(shared_database_url):
    """A page with a wallet, a tag, and a submission of `visitor`, behind one trusted proxy."""
    clock = Clock()
    environ = make_environ(shared_database_url, TRUSTED_PROXIES="1", PUBLIC_URL="http://localhost")
    world = World(create_app(Settings.from_environ(environ), clock=clock), clock)
    world.add_tag("team")
    world.track(Visitor().address, alias="Known", tag_names=["team"], balance="0.5")
    world.configure(queue_capacity=1_000_000, cooldown_s=0)
    yield world
    connection.db.close()


@pytest.fixture(scope="module")
def visitor(world) -> Visitor:
    visitor = Visitor()
    world.open_widget(visitor)
    assert world.submit(visitor).status_code == 201
    return visitor


@pytest.fixture(scope="module")
def raw(world) -> RawClient:
    return RawClient(world.app)
