"""The tables of origins, compared with what this Chromium makes of them."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1] / "support"
# As UTF-16 code units, because lone surrogates cannot be sent as text.
READ_ORIGINS = """(list) => list.map((units) => {
  const raw = String.fromCharCode(...units);
  return URL.canParse(raw) ? new URL(raw).origin : null;
})"""


@pytest.mark.parametrize(
    ("table", "told"),
    [("chromium_hosts", "chromium"), ("origin_cases", "origin"), ("origin_cases", "meant")],
)
def test_table_is_what_chromium_says(page, table, told):
    """To change a table on purpose, correct the rows that this names."""
    rows = json.loads((TESTS / f"{table}.json").read_text(encoding="utf-8"))
    if table == "origin_cases":
        rows = [row for row in rows if row.get(told, "").startswith("http")]
    encoded = [add_scheme(row).encode("utf-16-le", "surrogatepass") for row in rows]
    said = page.evaluate(READ_ORIGINS, [memoryview(one).cast("H").tolist() for one in encoded])

    assert {row["raw"]: one for row, one in zip(rows, said, strict=True)} == {
        row["raw"]: row[told] for row in rows
    }


def add_scheme(row: dict[str, str]) -> str:
    """Return what was typed with the scheme that is meant, if it has none."""
    if "chromium" in row:
        return row["raw"]
    # White space around an entry is dropped; Python's notion of it is wider than the browser's.
    scheme = f"{row['meant'].partition(':')[0]}://" if row.get("refused") == "no_scheme" else ""
    return scheme + row["raw"].strip()
