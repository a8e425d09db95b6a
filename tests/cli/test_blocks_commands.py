"""flask blocks"""

import json

import pytest
from support.world import Visitor, code_of

from embed.db.models import Block
from embed.people import accounts

pytestmark = pytest.mark.slow


@pytest.fixture
def run(world):
    return lambda *arguments: world.app.test_cli_runner().invoke(args=["blocks", *arguments])


def show(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_page_blocks_lists_and_unblocks(world, run):
    address = Visitor().address
    wallet = show(run("add", world.page_id, "--wallet", address, "--json"))
    world.clock.forward(seconds=1)
    name = show(run("add", world.page_id, "--name", "Bot*", "--json"))

    assert name == {
        "id": name["id"],
        "kind": "name",
        "pattern": "bot*",
        "trackingPageId": world.page_id,
        "createdBy": "command line",
        "createdAtIso": "2026-01-31T09:30:01.000Z",
    }
    assert show(run("list", world.page_id, "--json")) == [name, wallet]
    assert code_of(world.submit(Visitor(), "Bot 7")) == "not_accepted"
    assert show(run("remove", name["id"], "--json")) == name
    assert code_of(world.submit(Visitor(), "Bot 7")) is None


def test_owner_blocks_on_all_pages(world, run):
    person = accounts.create_person("ann@example.com", world.clock())
    made = show(run("add", "--owner", person.email, "--network", "192.0.2.7/24", "--json"))

    assert (made["pattern"], made["trackingPageId"]) == ("192.0.2.0/24", None)
    assert show(run("list", "--owner", person.email, "--json")) == [made]
    assert show(run("list", world.page_id, "--json")) == []
    assert run("remove", made["id"]).exit_code == 0
    assert not Block.select().exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "{page}"], "Give one of --wallet, --name and --network"),
        (["add", "{page}", "--name", "a", "--network", "192.0.2.7"], "Give one of"),
        (["add", "--name", "a"], "Name either a page, or an owner"),
        (["add", "{page}", "--owner", "owner@localhost", "--name", "a"], "Name either a page"),
        (["list"], "Name either a page"),
        (["list", "nowhere"], "There is no tracking page nowhere"),
        (["add", "nowhere", "--name", "a"], "There is no tracking page nowhere"),
        (["add", "--owner", "nobody@example.com", "--name", "a"], "nobody@example.com"),
        (["add", "{page}", "--name", "*"], "would block everybody"),
        (["add", "{page}", "--network", "::/0"], "too large"),
        (["remove", "nothing"], "There is no block nothing"),
    ],
)
def test_mistake_is_one_line(world, run, arguments, said):
    result = run(*[one.format(page=world.page_id) for one in arguments])

    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not Block.select().exists()
