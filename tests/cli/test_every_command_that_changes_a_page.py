"""Every command that changes a page is logged with its actor, and increments the version."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.folded import list_wrongly_folded
from support.world import USDC, Visitor, read_log

from embed.commands import COMMANDS
from embed.events.editing import COMMAND_LINE
from embed.keys import access
from embed.notifications import receivers
from embed.people import accounts, invitations
from embed.submissions.deny_list import block_on_page

pytestmark = pytest.mark.slow

MEMBER = "member@example.com"
HOOK, NTFY = "https://example.com/hook", ("ntfy", {"topic": "topic"})
READS = {"list", "show", "receipt", "suggest"}
# Commands that do not change a page, or that delete it together with its log.
OTHER_COMMANDS = {
    "balances refresh",  # what it observes is no owner's change; flags are logged by the watch
    "db upgrade",
    "owners create",
    "owners remove",  # what it does to pages has tests of its own
    "owners reset",
    "owners sign-out",
    "pages create",  # has no version before; its log is tested below
    "pages purge",
    "worker status",
    "channels test",
    "webhooks test",
}


class Things:
    """One of each object that a command may change."""

    def __init__(self, world, folder: Path) -> None:
        self.page_id = world.page_id
        self.tag_id = world.add_tag("team").id
        self.wallet_id = world.track(Visitor().address, alias="Whale").id
        self.key_id = access.find_access(world.public_key).key_id
        self.block_id = block_on_page(world.page_id, "name", "bot*", world.change()).id
        self.submission_id = world.submit(Visitor()).json["submissionId"]
        self.table = folder / "wallets.csv"
        self.table.write_text(f"{USDC},Treasury\n")
        self.webhook_id = receivers.add_webhook(self.page_id, HOOK, world.change()).id
        invitations.accept(
            invitations.invite(self.page_id, MEMBER, "viewer", world.change())[1],
            accounts.create_person(MEMBER, world.clock()),
            world.change(),
        )
        self.channel_id = receivers.add_channel(self.page_id, *NTFY, world.change()).id


CHANGES: dict[str, Callable[[Things], tuple[str, ...]]] = {
    "pages update": lambda things: (things.page_id, "--title", "New"),
    "pages look": lambda things: (things.page_id, "accent=7c4ddb"),
    "pages share": lambda things: (things.page_id,),
    "pages delete": lambda things: (things.page_id, "--yes"),
    "people invite": lambda things: (things.page_id, "new@example.com", "--role", "editor"),
    "people role": lambda things: (things.page_id, MEMBER, "reviewer"),
    "people remove": lambda things: (things.page_id, MEMBER),
    "keys create": lambda things: (things.page_id, "--tier", "secret"),
    "keys revoke": lambda things: (things.key_id,),
    "tags add": lambda things: (things.page_id, "new", "red"),
    "tags update": lambda things: (things.tag_id, "--not-counted"),
    "tags remove": lambda things: (things.tag_id,),
    "blocks add": lambda things: (things.page_id, "--name", "*scam*"),
    "blocks remove": lambda things: (things.block_id,),
    "wallets add": lambda things: (things.page_id, USDC, "--balance", "5"),
    "wallets update": lambda things: (things.wallet_id, "--alias", "Dolphin"),
    "wallets import": lambda things: (things.page_id, str(things.table)),
    "wallets remove": lambda things: (things.wallet_id,),
    "submissions approve": lambda things: (things.submission_id,),
    "submissions reject": lambda things: (things.submission_id,),
    "channels add": lambda things: (things.page_id, "ntfy", "--topic", "other"),
    "channels update": lambda things: (things.channel_id, "--may-decide"),
    "channels remove": lambda things: (things.channel_id,),
    "webhooks add": lambda things: (things.page_id, HOOK),
    "webhooks remove": lambda things: (things.webhook_id,),
    "webhooks rotate": lambda things: (things.webhook_id,),
}


def test_every_command_is_known():
    changing = {
        f"{group.name} {name}"
        for group in COMMANDS
        for name in getattr(group, "commands", {})
        if name not in READS
    }

    assert changing == set(CHANGES) | OTHER_COMMANDS


@pytest.mark.parametrize("command", CHANGES)
def test_change_is_logged_and_gives_a_new_version(world, tmp_path, command):
    things = Things(world, tmp_path)
    version = world.page.version
    world.clock.forward(seconds=1)

    result = world.app.test_cli_runner().invoke(args=[*command.split(), *CHANGES[command](things)])

    assert result.exit_code == 0, result.output
    entry = read_log(world.page_id)[0]
    assert (entry.actor, entry.created_at) == (COMMAND_LINE, world.clock())
    assert world.page.version > version
    assert list_wrongly_folded() == []


def test_new_page_begins_with_an_entry(world):
    entries = read_log(world.page_id)

    assert (COMMAND_LINE, "create page") in [(entry.actor, entry.action) for entry in entries]
