"""Wallets as CSV: formulas, mistakes by their kinds, and that writing and reading loses nothing."""

import csv
import io
from collections.abc import Iterable
from dataclasses import replace

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.amounts import MAX_AMOUNT, MAX_DECIMALS
from embed.errors import InvalidInput
from embed.wallets.csv_format import Line, escape_formula, format_csv, unescape_formula
from embed.wallets.csv_lines import Kind, Mistake, group_mistakes, parse_table
from embed.wallets.csv_reader import read_table


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        *((cell, f"'{cell}") for cell in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "''+")),
        *((cell, f"'{cell}") for cell in ("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)")),
        ("x;=1+1", "x;'=1+1"),
        ("x;'=1", "x;''=1"),
        ("=a;-b;c;\uff20d", "'=a;'-b;c;'\uff20d"),
        *((cell, cell) for cell in ("", "plain", "'", "'s", "1-1", "a;b=c", ";", "a;'")),
    ],
    ids=ascii,
)
def test_formula_is_escaped_and_comes_back_exactly(cell, shown):
    assert escape_formula(cell) == shown
    assert unescape_formula(shown) == cell


turning = "\u202a\u202b\u202c\u202d\u202e"
printable = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Co"), exclude_characters=turning), max_size=40
)
hostile = st.text("=+-@';\\,\" a\uff1d\uff0b", max_size=12)
texts = (printable | hostile).map(str.strip)
lines = st.builds(
    Line,
    address=st.binary(min_size=32, max_size=32).map(lambda raw: base58.b58encode(raw).decode()),
    alias=texts,
    tag_names=st.lists(texts.filter(bool), unique=True, max_size=4).map(tuple),
    is_hidden=st.booleans(),
    balance=st.decimals(0, MAX_AMOUNT, places=MAX_DECIMALS, allow_nan=False),
)
tables = st.lists(lines, min_size=1, max_size=5, unique_by=lambda line: line.address)


@given(tables)
def test_what_is_written_is_read_back_exactly(table):
    parsed = parse_table(read_table(format_csv(table), max_wallets=50_000))

    assert parsed.mistakes == []
    assert [replace(line, number=0) for line in parsed.lines] == [
        replace(line, number=0) for line in table
    ]


@given(tables)
def test_no_written_cell_begins_a_formula(table):
    for row in csv.reader(io.StringIO(format_csv(table), newline="")):
        for part in ";".join(row).split(";"):
            assert not part.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r"))


# Mistakes that are alike are told together


def find_ranges(numbers: Iterable[int]) -> tuple[list[tuple[int, int]], int]:
    mistakes = [Mistake(number, Kind.ADDRESS, InvalidInput("Bad.")) for number in numbers]
    (found,) = group_mistakes(mistakes)
    return found.ranges, found.rest


def test_lines_are_named_as_ranges_and_the_rest_is_counted():
    assert find_ranges([2, 3, 4, 9]) == ([(2, 4), (9, 9)], 0)
    assert find_ranges(range(2, 10_002)) == ([(2, 10_001)], 0)
    six = [(1, 1), (3, 3), (5, 7), (9, 9), (11, 11), (13, 13)]
    assert find_ranges([1, 3, 5, 6, 7, 9, 11, 13]) == (six, 0)
    assert find_ranges([1, 3, 5, 6, 7, 9, 11, 13, 15, 16]) == (six, 2)


def test_largest_group_comes_first_and_no_mistake_is_lost():
    mistakes = [
        Mistake(1, Kind.BALANCE, InvalidInput("a")),
        Mistake(2, Kind.REPEATED, InvalidInput("b")),
        Mistake(2, Kind.BALANCE, InvalidInput("c")),
        Mistake(3, Kind.REPEATED, InvalidInput("d")),
        Mistake(4, Kind.REPEATED, InvalidInput("e")),
    ]

    groups = group_mistakes(mistakes)

    assert [found.kind for found in groups] == [Kind.REPEATED, Kind.BALANCE]
    assert sorted(str(one.cause) for found in groups for one in found.mistakes) == list("abcde")
