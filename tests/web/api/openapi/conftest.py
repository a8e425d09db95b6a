"""Real answers, which take three seconds to collect."""

import pytest
from contract import Answer
from real_answers import answer_elsewhere, make_world, refuse, refuse_without_database, succeed


@pytest.fixture(scope="session")
def database(make_sqlite) -> str:
    return make_sqlite()


@pytest.fixture(scope="session")
def answers_elsewhere(database) -> dict[str, Answer]:
    return answer_elsewhere(database)


@pytest.fixture(scope="session")
def answers(database, tmp_path_factory) -> list[Answer]:
    """Real answers: all successes at both addresses, and every refusal."""
    found = []
    for root in ("/api/embed", "/embed/api"):
        with make_world(database) as world:
            world.root = root
            found += succeed(world)
    found += refuse(database)
    found += refuse_without_database(tmp_path_factory.mktemp("folder"))
    return found
