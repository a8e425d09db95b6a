"""The columns named `folded`, in which wallets and submissions are searched.

They're computed from other columns, so backups leave them out; see embed/domain/folding.py.
"""

from typing import Any

from embed.db.batches import BATCH
from embed.domain.folding import Search, fold_wallet

COLUMN = "folded"
# Each table that has the column, with its columns of names and addresses.
_SOURCES = {"wallet": ("public_alias", "address"), "submission": ("nickname", "wallet_address")}


def matches(column: Any, search: Search) -> Any:
    """Return the condition that a row's column matches a search."""
    found = column.contains(search.text)
    if search.ends is not None:
        first, last = search.ends
        found |= column.contains(f" {first}") & column.endswith(last)
    return found


def fill(database: Any) -> None:
    """Compute the columns of all rows anew, in batches."""
    for table, (name, address) in _SOURCES.items():
        read = f"SELECT id, {name}, {address} FROM {table} WHERE id > {database.param}"  # noqa: S608 -- names of ours
        read += f" ORDER BY id LIMIT {BATCH}"
        last_id = ""
        while rows := database.execute_sql(read, (last_id,)).fetchall():
            _write(database, table, [(row[0], fold_wallet(*row[1:])) for row in rows])
            last_id = rows[-1][0]


def _write(database: Any, table: str, folded: list[tuple[str, str]]) -> None:
    values = ", ".join([f"({database.param}, {database.param})"] * len(folded))
    # Both databases name the columns of VALUES so.
    statement = f"UPDATE {table} SET {COLUMN} = column2 FROM (VALUES {values}) AS found"  # noqa: S608 -- names of ours
    parameters = [value for row in folded for value in row]
    database.execute_sql(f"{statement} WHERE id = column1", parameters)
