"""Clients' addresses are counted for a while, and never stored."""

from support.owner_browser import OwnerBrowser
from support.world import with_session

from embed.db.connection import db

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
    owner.post(f"/dashboard/pages/{world.page_id}/wallets/tags", name="team", color="green")

    stored = read_everything()

    assert "evil.example" in stored
    assert "team" in stored
    assert CLIENT not in stored
