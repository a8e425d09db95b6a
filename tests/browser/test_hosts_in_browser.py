"""The tables of origins, compared with what this Chromium makes of them."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1] / "support"
READ_ORIGIN = "raw => URL.canParse(raw) ? new URL(raw).origin : null"


@pytest.fixture
def ask(page):
    """Ask the browser for the origin of each text."""

    def call(texts: list[str]) -> list:
        # As UTF-16 code units, because lone surrogates cannot be sent as text.
        encoded = [text.encode("utf-16-le", "surrogatepass") for text in texts]
        return page.evaluate(
            f"list => list.map(units => String.fromCharCode(...units)).map({READ_ORIGIN})",
            [memoryview(each).cast("H").tolist() for each in encoded],
        )

    return call


def read_table(name: str) -> list[dict[str, str]]:
    return json.loads((TESTS / name).read_text(encoding="utf-8"))


def test_table_of_hosts_is_what_chromium_says(ask):
    rows = read_table("chromium_hosts.json")
    told = ask([row["raw"] for row in rows])

    # To change the table on purpose, correct the rows that this names.
    assert {row["raw"]: answer for row, answer in zip(rows, told, strict=True)} == {
        row["raw"]: row["chromium"] for row in rows
    }


@pytest.mark.parametrize("told", ["origin", "meant"], ids=["origins", "advice"])
def test_table_of_cases_is_what_chromium_says(ask, told):
    rows = [row for row in read_table("origin_cases.json") if row.get(told, "")[:4] == "http"]
    assert rows

    # White space around an entry is dropped; Python's notion of it is wider than the browser's.
    entries = [add_scheme(row).strip() for row in rows]
    assert ask(entries) == [row[told] for row in rows]


def add_scheme(row: dict[str, str]) -> str:
    """Return what was typed with the scheme that is meant, if it has none."""
    if row.get("refused") != "no_scheme":
        return row["raw"]
    return f"{row['meant'].partition(':')[0]}://{row['raw'].strip()}"
