"""flask blocks"""

import pytest
from support.world import Visitor, code_of

from embed.db.models import Block
from embed.people import accounts

pytestmark = pytest.mark.slow


def test_page_blocks_lists_and_unblocks(world, operator):
    pasted = f"https://solscan.io/account/{Visitor().address}"
    wallet = operator.show("blocks", "add", world.page_id, "--wallet", pasted)
    world.clock.forward(seconds=1)
    name = operator.show("blocks", "add", world.page_id, "--name", "Bot*")

    assert name == {
        "id": name["id"],
        "kind": "name",
        "pattern": "bot*",
        "trackingPageId": world.page_id,
        "createdBy": "command line",
        "createdAtIso": "2026-01-31T09:30:01.000Z",
    }
    assert operator.show("blocks", "list", world.page_id) == [name, wallet]
    assert code_of(world.submit(Visitor(), "Bot 7")) == "not_accepted"
    assert operator.show("blocks", "remove", name["id"]) == name
    assert code_of(world.submit(Visitor(), "Bot 7")) is None


def test_owner_blocks_on_all_pages(world, operator):
    person = accounts.create_person("ann@example.com", world.clock())
    made = operator.show("blocks", "add", "--owner", person.email, "--network", "192.0.2.7/24")

    assert (made["pattern"], made["trackingPageId"]) == ("192.0.2.0/24", None)
    assert operator.show("blocks", "list", "--owner", person.email) == [made]
    assert operator.show("blocks", "list", world.page_id) == []
    assert operator.show("blocks", "remove", made["id"]) == made
    assert not Block.select().exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("add {page}", "Give one of --wallet, --name and --network"),
        ("add --name a", "Name either a page, or an owner"),
        ("list nowhere", "There is no tracking page nowhere"),
        ("add --owner nobody@example.com --name a", "nobody@example.com"),
        ("add {page} --name *", "would block everyone"),
        ("remove nothing", "There is no block nothing"),
    ],
)
def test_mistake_is_one_line(world, operator, words, said):
    assert said in operator.refuse("blocks", *words.format(page=world.page_id).split())
