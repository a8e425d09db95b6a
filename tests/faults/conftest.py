"""Services with faults: each test has servers of its own, as it kills or blocks them."""

from collections.abc import Iterator

import pytest
from support.deployments import Deployment, run_grown
from support.remote import make_environ
from support.servers import Postgres, Valkey, open_postgres, open_valkey, provide


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    yield from provide(open_postgres)


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    yield from provide(open_valkey)


@pytest.fixture
def grown(postgres, valkey) -> Iterator[Deployment]:
    environ = make_environ(postgres.create_database(), ALLOW_PRIVATE_TARGETS="1")
    with run_grown(environ, f"redis+unix://{valkey.path}") as grown:
        yield grown
