"""Wallets from a CSV file, by a command."""

import json

import pytest
from support.world import USDC, Visitor, read_log

from embed.wallets import tracking

pytestmark = pytest.mark.slow


@pytest.fixture
def run(operator, world, tmp_path):
    """Run the command on a text, given as a file."""

    def run(text: str, *options: str):
        file = tmp_path / "wallets.csv"
        file.write_text(text)
        return operator.run("wallets", "import", world.page_id, str(file), *options)

    return run


def read_names(world) -> dict[str, str | None]:
    wallets = tracking.list_wallets(world.page, world.balances)
    return {wallet.address: wallet.public_alias for wallet in wallets}


def test_file_is_imported_and_logged(world, run):
    world.track(USDC, alias="Old")
    other = Visitor().address
    world.clock.forward(seconds=1)

    result = run(f"address,alias,tags\n{USDC},New,\n{other},Other,team", "--create-tags", "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "added": 1,
        "changed": 1,
        "unchanged": 0,
        "skipped": 0,
        "tagsCreated": ["team"],
    }
    assert read_names(world) == {USDC: "New", other: "Other"}
    assert read_log(world.page_id)[0][1:3] == ("import wallets", "1 added, 1 changed")


def test_dry_run_says_what_would_change_and_changes_nothing(world, run):
    before = world.dump()

    result = run(f"Owner\tRank\tLabel\n{USDC}\t1\tMint", "--dry-run")

    assert result.stderr == "Columns: 'Owner' is address, 'Rank' is left out, 'Label' is alias.\n"
    assert result.stdout == (
        "Nothing has changed yet. The import would make it: 1 added, 0 changed, 0 as before,"
        " 0 skipped.\n"
    )
    assert world.dump() == before


def test_every_wrong_line_is_named_and_nothing_changes(world, run):
    before = world.dump()

    result = run(f"wallet,name,tags\n{USDC}\nbad\n{Visitor().address},Name,team")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "Line 3: 'bad' isn't a Solana address.",
        "Line 4: The page has no tag team.",
        "Error: Nothing has changed: 2 lines need your attention.",
    ]
    assert world.dump() == before


def test_wrong_lines_are_left_out_if_the_operator_says_so(world, run):
    before = world.dump()
    text = f"wallet,name\n{USDC},Mint\nbad,x\n"
    assert run(text, "--skip-invalid", "--dry-run").exit_code == 0
    assert world.dump() == before

    result = run(text, "--skip-invalid")

    assert result.stdout == "Imported: 1 added, 0 changed, 0 as before, 1 skipped.\n"
    assert result.stderr == "Line 3: 'bad' isn't a Solana address.\n"
    assert read_names(world) == {USDC: "Mint"}
