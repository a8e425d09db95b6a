"""The queue is a file beside the database, or a Redis; what others put into it is not run."""

import pickle
import sqlite3

import pytest
from remote import make_environ
from world import SECRET_KEY

from embed import settings as settings_module
from embed.settings import Settings
from embed.settings.files import find_queue_file
from embed.worker import task_queue
from embed.worker.task_queue import open_queue, watch_queue

pytestmark = pytest.mark.databases("sqlite", "postgres")


def read_settings(database_url: str, **variables: str) -> Settings:
    return Settings.from_environ(make_environ(database_url, **variables))


@pytest.fixture
def settings(tmp_path) -> Settings:
    return read_settings(f"sqlite:///{tmp_path}/a%20folder/embed.db")


@pytest.fixture
def queue(settings):
    queue = open_queue(settings, watch_queue(settings))
    yield queue
    queue.storage.close()


def test_file_is_beside_the_database_for_its_user_alone(queue, settings, tmp_path):
    path = tmp_path / "a folder" / "queue.db"

    assert find_queue_file(settings) == path
    queue.count_waiting()
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_file_is_in_the_instance_folder_with_postgres(tmp_path):
    settings = read_settings("postgresql://embed@/embed")

    assert find_queue_file(settings) == settings_module.INSTANCE_DIR / "queue.db"


def test_databases_with_the_same_file_have_a_queue_each(tmp_path, monkeypatch):
    monkeypatch.setattr("embed.settings.files.INSTANCE_DIR", tmp_path)
    queues = []
    for name in ("one", "two"):
        settings = read_settings(f"postgresql://embed@/{name}")
        queues.append(open_queue(settings, watch_queue(settings)))
    one, two = queues
    one.enqueue(one.task(name="run")(print).s("job", "me"))

    assert (one.count_waiting(), two.count_waiting()) == (1, 0)
    for queue in queues:
        queue.storage.close()


def test_file_that_cannot_be_made_is_logged_once_with_its_name(tmp_path, caplog):
    (tmp_path / "file").touch()
    settings = read_settings(f"sqlite:///{tmp_path}/file/embed.db")
    outage = watch_queue(settings)

    for _ in range(2):
        with pytest.raises(task_queue.ERRORS):
            open_queue(settings, outage)

    (record,) = caplog.records
    assert f"{tmp_path}/file/queue.db" in record.message


def test_task_comes_out_as_it_went_in(queue):
    seen = []
    run = queue.task(name="run")(lambda *arguments: seen.append(arguments))
    queue.enqueue(run.s("job", "me"))

    queue.execute(queue.dequeue())

    assert seen == [("job", "me")]
    assert queue.dequeue() is None
    assert queue.result_count() == 0


class Harmful:
    def __reduce__(self):
        return (sqlite3.connect, ("made-by-unpickling.db",))


@pytest.mark.parametrize(
    "data",
    [pickle.dumps(Harmful()), b"[]", b"{}", b'["id", "no such task", []]', b"\xff", b'["a", 1, 2]'],
)
def test_what_is_no_task_is_dropped_and_never_run(queue, data, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    queue.storage.enqueue(data)

    assert queue.dequeue() is None
    assert queue.count_waiting() == 0
    assert "is not a task" in caplog.text
    assert not (tmp_path / "made-by-unpickling.db").exists()


def test_password_of_redis_is_in_no_sentence(caplog):
    url = "redis://:hunter2@127.0.0.1:1/0"
    settings = read_settings("sqlite:///x.db", QUEUE_URL=url, SECRET_KEY=SECRET_KEY)
    queue = open_queue(settings, watch_queue(settings))

    for _ in range(2):
        with pytest.raises(task_queue.ERRORS):
            queue.dequeue()

    (record,) = caplog.records
    assert "QUEUE_URL" in record.message
    assert "hunter2" not in caplog.text
    assert "127.0.0.1" not in caplog.text
