"""Lists of commands fit a terminal; what is cut off is in the JSON document."""

import pytest

from embed.terminal import format_table

ADDRESS = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
COLUMNS = ("id", "address", "publicAlias", "owner", "createdAtIso")


def make_row(alias: str, owner: str) -> dict[str, object]:
    return {
        "id": "aaSraPEjBPqZamtKMhGO",
        "publicAlias": alias,
        "address": ADDRESS[:20],
        "owner": owner,
        "createdAtIso": "2026-11-23T22:04:58.984Z",
        "comments": "x" * 500,
    }


@pytest.mark.parametrize(
    ("alias", "owner"),
    [
        ("A", "b@c.d"),
        ("A" * 32, "b@c.d"),
        ("A" * 32, "b" * 254),
        ("A", "b" * 254),
        ("ä\n" * 9, "b"),
    ],
)
def test_lines_are_cut_where_people_wrote_much_and_nowhere_else(alias, owner):
    lines = format_table([make_row(alias, owner), make_row("Z", "o")], COLUMNS).splitlines()

    assert len(lines) == 3
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == list(COLUMNS)
    for line in lines[1:]:
        assert line.startswith(f"aaSraPEjBPqZamtKMhGO  {ADDRESS[:20]}  ")
        assert line.endswith("  2026-11-23T22:04:58.984Z")
    assert ("…" in lines[1]) == (len(alias) + len(owner) > 30)
    assert "…" not in lines[2]


def test_amount_is_never_cut():
    row = {"address": ADDRESS, "tokenBalance": "1" * 60, "publicAlias": "A" * 32}

    told = format_table([row], ("address", "tokenBalance", "publicAlias"))

    assert f"  {'1' * 60}  AAAAAAA…" in told
