"""The database may be away for a while."""

import pytest
from scene import SHORT_LEASE_S, Scene
from support.servers import open_postgres, provide

pytestmark = pytest.mark.slow

OFTEN = {"WORK_EVERY_S": "0.1", "WORK_LEASE_S": str(SHORT_LEASE_S)}


@pytest.fixture
def postgres():
    yield from provide(open_postgres)


def test_work_goes_on_when_the_database_is_back_and_the_log_says_it_once(tmp_path, postgres):
    scene = Scene(tmp_path, postgres.create_database())
    try:
        server = scene.start_gunicorn("--log-level=info", **OFTEN)
        scene.wait_for_more("end", "count", 2)

        postgres.stop()
        scene.wait_for(lambda: "does not answer" in scene.read_said())
        assert server.process.poll() is None
        postgres.start()

        scene.wait_for_more("end", "count", 2)
        assert scene.read_said().count("background work's database does not answer") == 1
        assert scene.read_said().count("background work's database answers again") == 1
        assert "Traceback" not in scene.read_said()
    finally:
        scene.end()
