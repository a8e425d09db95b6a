"""Real answers to requests of every kind."""

import pytest
from contract import Answer
from real_answers import answer_elsewhere, make_world, refuse, refuse_without_database, succeed


@pytest.fixture(scope="session")
def database(make_sqlite) -> str:
    return make_sqlite()


@pytest.fixture(scope="session")
def answers_elsewhere(apps, database) -> dict[str, Answer]:
    return answer_elsewhere(apps, database)


@pytest.fixture(scope="session")
def answers(apps, database, tmp_path_factory) -> list[Answer]:
    """Real answers: all successes at both addresses, and every refusal."""
    found = []
    for root in ("/api/embed", "/embed/api"):
        with make_world(apps, database) as world:
            world.root = root
            found += succeed(world)
    found += refuse(apps, database)
    found += refuse_without_database(tmp_path_factory.mktemp("folder"))
    return found
