"""A file is made of one state of the database, in little memory."""

import io
import threading
import tracemalloc

import pytest
from page_files import export, read_lines
from support.world import USDC, Visitor

from embed.db.connection import db
from embed.db.models import Activity, Tag, UsedNonce
from embed.db.snapshots import in_byte_order, reading_one_state, stream
from embed.domain.times import from_ms
from embed.errors import InvalidInput
from embed.maintenance.page_file.exporting import export_page
from embed.wallets.tags import list_tags

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

ENTRIES = 10_000
AT = from_ms(1)


class Interrupted(io.BytesIO):
    """A file at whose first line somebody else changes the page."""

    def __init__(self, act) -> None:
        super().__init__()
        self._act = act
        self.has_acted = False

    def write(self, content) -> int:
        if not self.has_acted:
            self.has_acted = True
            other = threading.Thread(target=self._run)  # with a connection of its own
            other.start()
            other.join()
        return super().write(content)

    def _run(self) -> None:
        self._act()
        db.close()


def test_change_while_a_file_is_written_is_not_in_it_and_does_not_wait(filled):
    before = export(filled.page_id)
    address = Visitor().address
    file = Interrupted(lambda: filled.world.track(address, alias="Late", balance="1"))

    export_page(filled.page_id, file)

    assert file.getvalue() == before
    assert address in export(filled.page_id).decode()


@pytest.fixture
def long_log(world):
    with db.atomic():
        for start in range(0, ENTRIES, 1000):
            Activity.insert_many(
                {
                    "page": world.page_id,
                    "actor": "command line",
                    "action": "add wallet",
                    "data": f'{{"name":"{number} {USDC}"}}',
                    "created_at": world.clock(),
                }
                for number in range(start, start + 1000)
            ).execute()
    return world


@pytest.mark.databases("sqlite")
def test_memory_does_not_grow_with_the_file(long_log):
    class Nowhere(io.BytesIO):
        size = 0

        def write(self, content) -> int:
            self.size += len(content)
            return len(content)

    file = Nowhere()
    tracemalloc.start()
    try:
        export_page(long_log.page_id, file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert file.size > 1_500_000
    assert peak < file.size / 3


@pytest.mark.databases("postgres")
def test_rows_are_not_fetched_at_once(long_log):
    """A cursor stays on the server, whose rows this process would hold otherwise."""
    with reading_one_state():
        rows = stream(Activity.select(Activity.data))
        next(rows)
        open_cursors = "SELECT COUNT(*) FROM pg_cursors WHERE name <> ''"
        assert db.execute_sql(open_cursors).fetchone() == (1,)
        assert sum(1 for _ in rows) >= ENTRIES


def test_texts_are_ordered_by_their_bytes_whatever_the_database_would_do(filled):
    with db.atomic():
        ids = [f"{letter}{'0' * 19}" for letter in "bBaA"]
        for each in ids:
            Tag.create(id=each, page=filled.page_id, name=each, color="red", created_at=AT)
            UsedNonce.create(token=each, expires_at=AT)
    lines = read_lines(export(filled.page_id))

    tags = [line["id"] for line in lines if line["type"] == "tag" and line["id"] in ids]
    assert tags == sorted(ids)
    assert [tag.id for tag in list_tags(filled.world.page) if tag.id in ids] == sorted(ids)
    tokens = [line["token"] for line in lines if line["type"] == "usedNonce"]
    assert tokens == sorted(tokens)
    if db.for_update:  # Postgres, whose own order depends on how the database was made
        query = str(Tag.select().order_by(in_byte_order(Tag.id)).sql())
        assert 'COLLATE "C"' in query


@pytest.mark.databases("sqlite")
def test_value_that_could_not_be_imported_is_noticed_by_the_export(filled):
    """Only by hand can it have come into the database."""
    Tag.update(color="#ff0000").where(Tag.name == "whale").execute()

    with pytest.raises(InvalidInput, match=r"a value that no file may have: .*color"):
        export(filled.page_id)
