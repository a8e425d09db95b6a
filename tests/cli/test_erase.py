"""flask erase"""

import sqlite3
from contextlib import closing

import pytest
from support.world import Visitor

from embed.db.connection import db

pytestmark = pytest.mark.slow


@pytest.fixture
def address(world) -> str:
    visitor = Visitor()
    world.track(visitor.address, alias="Whale")
    return visitor.address


def test_without_yes_it_shows_what_is_kept_and_erases_nothing(world, operator, address):
    before = world.dump()

    assert operator.tell("erase", address).splitlines() == [
        "what                trackingPageId        count",
        f"entry in the list   {world.page_id}  1",
        f"entries in the log  {world.page_id}  1",
        "",
        "Nothing is erased yet: add --yes to erase all of this.",
    ]
    assert world.dump() == before


def test_with_yes_it_erases_and_says_what_was_there_and_where_people_wrote_of_it(
    world, operator, address
):
    assert operator.tell("erase", address, "--yes").splitlines()[-1] == "Erased."
    assert address not in str(world.dump())
    assert operator.tell("erase", address) == "Nothing is kept of this wallet.\n"

    world.configure(public_title=f"Not {address}")
    assert operator.tell("erase", address, "--yes").splitlines()[-1] == (
        "Still mentioned, in words that people wrote: page.public_title (1)"
    )


def test_what_is_no_address_is_one_line(operator):
    assert "isn't a Solana address" in operator.refuse("erase", "x\ny", "--yes")
    mistyped = operator.refuse("erase", f"I{Visitor().address[1:]}", "--yes")
    assert mistyped == "Error: “I” at place 1 isn't used in addresses."


def test_journal_that_somebody_reads_is_told(operator, address, environ):
    path = environ["DATABASE_URL"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM wallet").fetchone()
        db.execute_sql("PRAGMA busy_timeout = 100")  # not as long as the service waits
        busy = operator.run("erase", address, "--yes")
    assert busy.exit_code == 1
    assert "Everything is erased" in busy.stderr
    assert "Repeat the command." in busy.stderr

    operator.tell("erase", address, "--yes")
