"""The folder of counts: one slot for each living process."""

import multiprocessing

import pytest
from prometheus_client.exposition import generate_latest
from scrapes import Scraped

from embed.metrics import files
from embed.metrics.counters import LIMITED, REQUEST_SECONDS, REQUESTS
from embed.metrics.files import begin_counting, find_folder, make_folder, remove_folder

NAME = "embed_rate_limit_refusals_total"


class Folder:
    def __init__(self, path) -> None:
        self.path = path

    def collect(self):
        return files.read_counts(self.path)

    def read(self) -> float:
        return Scraped(generate_latest(self).decode()).sum(NAME)


def count_in_slot(path, slot: int, times: int) -> None:
    begin_counting(path, slot)
    for _ in range(times):
        LIMITED.add("rate_limit_ip")


def run(*arguments) -> None:
    """Count in a process of its own, which then ends."""
    process = multiprocessing.get_context("spawn").Process(target=count_in_slot, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.fixture
def folder(tmp_path) -> Folder:
    return Folder(tmp_path)


def test_processes_are_added_up_and_the_next_in_a_slot_goes_on(folder):
    run(folder.path, 0, 3)
    run(folder.path, 1, 4)
    run(folder.path, 0, 5)

    assert folder.read() == 12
    assert len(list(folder.path.iterdir())) == 4


@pytest.mark.parametrize("emptied_database_url", ["sqlite"], indirect=True)
def test_files_need_no_more_space_however_much_is_counted(app, counted, tmp_path):
    def list_sizes() -> dict[str, tuple[int, bool]]:
        found = {path.name: path.stat() for path in tmp_path.glob("*.db")}
        return {
            name: (one.st_size, one.st_blocks * 512 >= one.st_size) for name, one in found.items()
        }

    begun = list_sizes()
    for rule in app.url_map.iter_rules():
        for method in rule.methods:
            REQUEST_SECONDS.add(rule.rule, method, seconds=1)
            for code in (200, 303, 304, 400, 401, 403, 404, 409, 422, 429, 500, 503):
                REQUESTS.add(rule.rule, method, str(code))

    assert counted().sum("embed_http_requests_total") > 1000
    assert list_sizes() == begun
    assert len(begun) == 2
    assert all(is_reserved for _, is_reserved in begun.values())


def test_file_of_a_process_that_begins_can_be_read(folder):
    files._make_file(folder.path / "counter_0.db")

    assert folder.read() == 0


def test_folder_is_private_and_forgets_what_a_killed_predecessor_counted():
    host, port = "127.0.0.1", 1  # at which nobody listens
    try:
        (make_folder(host, port) / "counter_7.db").touch()
        again = make_folder(host, port)

        assert again == find_folder(host, port)
        assert list(again.iterdir()) == []
        assert again.stat().st_mode & 0o777 == 0o700
    finally:
        remove_folder(find_folder(host, port))
    assert not again.exists()


def test_folder_that_somebody_else_has_put_there_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MEMORY_DIR", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    find_folder("127.0.0.1", 1).symlink_to(elsewhere)

    with pytest.raises(FileExistsError):
        make_folder("127.0.0.1", 1)
