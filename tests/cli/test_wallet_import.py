"""Wallets from a CSV file, by a command."""

import json

import pytest
from support.world import USDC, Visitor, read_log

from embed.wallets import tracking

pytestmark = pytest.mark.slow


@pytest.fixture
def run(operator, world, tmp_path):
    """Run the command on a text, given as a file."""

    def run(text: str | bytes, *options: str):
        file = tmp_path / "wallets.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return operator.run("wallets", "import", world.page_id, str(file), *options)

    return run


def read_names(world) -> dict[str, str | None]:
    wallets = tracking.list_wallets(world.page, uses_chain=False)
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
        "tagsCreated": ["team"],
    }
    assert read_names(world) == {USDC: "New", other: "Other"}
    assert read_log(world.page_id)[0][1:3] == ("import wallets", "1 added, 1 changed")


def test_file_is_read_from_standard_input(operator, world):
    told = operator.tell("wallets", "import", world.page_id, "-", input=f"\ufeff{USDC},Name\r\n")

    assert told == "Imported: 1 added, 0 changed, 0 as before.\n"
    assert read_names(world) == {USDC: "Name"}


def test_dry_run_says_what_would_change_and_changes_nothing(world, run):
    before = world.dump()

    result = run(USDC, "--dry-run")

    assert result.output == (
        "Nothing has changed yet. The import would make it: 1 added, 0 changed, 0 as before.\n"
    )
    assert world.dump() == before


def test_every_wrong_line_is_named_and_nothing_changes(world, run):
    before = world.dump()

    result = run(f"{USDC}\nbad\n{Visitor().address},Name,team")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "Line 2: 'bad' is not a wallet address.",
        "Line 3: The page has no tag team.",
        "Error: Nothing has changed: 2 lines need your attention.",
    ]
    assert world.dump() == before


def test_thousands_of_mistakes_are_no_wall(run):
    lines = run("bad\n" * 5_000).stderr.splitlines()

    assert len(lines) == 22
    assert lines[-2] == "… and 4,980 more"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a\nZo\xeb", "Line 2 is not UTF-8"),
        (b"address,alias,alias\n", "more than one column"),
    ],
)
def test_file_that_cannot_be_read_is_one_clear_line(run, raw, said):
    result = run(raw)

    assert result.exit_code == 1
    assert said in result.stderr


def test_file_that_does_not_end_is_not_read_to_its_end(operator, world):
    assert operator.refuse("wallets", "import", world.page_id, "/dev/zero") == (
        "Error: The file has more than 100,000,000 bytes, which 50,000 wallets (MAX_WALLETS) do"
        " not need."
    )
