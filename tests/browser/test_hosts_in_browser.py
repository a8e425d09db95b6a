"""The tables of origins, compared with what this Chromium makes of them."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1] / "support"
READ_ORIGIN = "raw => URL.canParse(raw) ? new URL(raw).origin : null"


@pytest.fixture
def ask(page):
    """Call a function in the browser for each text: ``ask("raw => ...", texts)``."""

    def call(function: str, texts: list[str]) -> list:
        # As UTF-16 code units, because lone surrogates cannot be sent as text.
        encoded = [text.encode("utf-16-le", "surrogatepass") for text in texts]
        return page.evaluate(
            f"async list => list.map(units => String.fromCharCode(...units)).map({function})",
            [memoryview(each).cast("H").tolist() for each in encoded],
        )

    return call


def read_table(name: str) -> list[dict[str, str]]:
    return json.loads((TESTS / name).read_text(encoding="utf-8"))


def test_table_of_hosts_is_what_chromium_says(ask):
    rows = read_table("chromium_hosts.json")
    told = ask(READ_ORIGIN, [row["raw"] for row in rows])

    # To change the table on purpose, correct the rows that this names.
    assert {row["raw"]: answer for row, answer in zip(rows, told, strict=True)} == {
        row["raw"]: row["chromium"] for row in rows
    }


def test_every_web_origin_in_the_table_of_cases_is_chromiums(ask):
    rows = [row for row in read_table("origin_cases.json") if row.get("origin", "")[:4] == "http"]
    assert len(rows) > 50

    # White space around an entry is dropped; Python's notion of it is wider than the browser's.
    assert ask(READ_ORIGIN, [row["raw"].strip() for row in rows]) == [row["origin"] for row in rows]


def test_advice_in_the_table_of_cases_is_chromiums(ask):
    rows = [row for row in read_table("origin_cases.json") if "meant" in row]
    assert rows

    told = ask(READ_ORIGIN, [add_scheme(row) for row in rows])

    assert told == [row["meant"] for row in rows]


def add_scheme(row: dict[str, str]) -> str:
    """Return what was typed with the scheme that is meant, if it has none."""
    if row["refused"] != "no_scheme":
        return row["raw"]
    return f"{row['meant'].partition(':')[0]}://{row['raw'].strip()}"
