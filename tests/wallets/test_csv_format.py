"""Wallets as CSV: parsing, mistakes by their kinds, and that writing and reading loses nothing."""

import csv
import io
from decimal import Decimal
from functools import partial

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.world import USDC

from embed.domain.amounts import MAX_AMOUNT, MAX_DECIMALS
from embed.errors import InvalidInput
from embed.wallets import csv_format
from embed.wallets.csv_format import (
    Line,
    decode_sheet,
    escape_formula,
    format_sheet,
    unescape_formula,
)
from embed.wallets.csv_mistakes import Kind, Mistake, group_mistakes

parse_sheet = partial(csv_format.parse_sheet, max_wallets=50_000)

OTHER = base58.b58encode(bytes(range(32))).decode()


def read_mistakes(text: str) -> list[tuple[int, str]]:
    return [(mistake.number, str(mistake.cause)) for mistake in parse_sheet(text).mistakes]


def test_line_is_read_with_all_its_cells():
    sheet = parse_sheet(f"address,alias,tags,hidden,balance\n{USDC},A name,team; watch,YES,12.50\n")

    assert sheet.mistakes == []
    assert sheet.lines == [Line(USDC, "A name", ("team", "watch"), True, Decimal("12.5"), number=2)]


@pytest.mark.parametrize(
    "heading",
    [
        "balance,tags,address,alias",
        "Balance, TAGS ,Address,Alias",
        '"balance","tags","address",alias,,',
    ],
)
def test_heading_gives_the_columns_their_order(heading):
    sheet = parse_sheet(f"\n{heading}\n12.5,team,{USDC},A name\n,,{OTHER},\n7,x,{OTHER[:-1]}2,,,\n")

    assert sheet.lines[:2] == [
        Line(USDC, "A name", ("team",), None, Decimal("12.5"), number=3),
        Line(OTHER, "", (), None, None, number=4),
    ]
    assert sheet.unread_columns == []


def test_columns_that_are_not_ours_are_named_and_not_read():
    sheet = parse_sheet(f"rank,Address,,share,RANK,balance\n1,{USDC},x,0.5,-,7\n2,{OTHER},,,=1\n")

    assert sheet.mistakes == []
    assert sheet.unread_columns == ["'rank'", 3, "'share'"]
    assert sheet.lines == [
        Line(USDC, balance=Decimal(7), number=2),
        Line(OTHER, number=3),
    ]


def test_long_and_invisible_names_of_columns_are_written_shortly_and_visibly():
    names = parse_sheet(f"address,{'x' * 1_000},a\u202eb").unread_columns

    assert names == [f"'{'x' * 59}…'", r"'a\u202eb'"]


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("alias,balance", "none of them is “address”"),
        ("adress,alias,hidden", "none of them is “address”"),
        ("address,alias,ALIAS", "more than one column “alias”"),
        ("Address,address", "more than one column “address”"),
    ],
)
def test_wrong_heading_is_one_sentence_whatever_follows(heading, said):
    ((number, sentence),) = read_mistakes(f"{heading}\n" + "bad,bad,bad\n" * 50)

    assert number == 1
    assert said in sentence


def test_first_wallet_is_no_heading_whatever_its_name():
    assert parse_sheet(f"{USDC},balance,address").lines == [
        Line(USDC, "balance", ("address",), number=1)
    ]


def test_cell_without_a_column_is_a_mistake():
    assert read_mistakes(f"address,alias\n{USDC},A name,lost,,") == [
        (2, "'lost' is in none of the columns.")
    ]
    assert read_mistakes(f"address,alias\n{USDC},A name,,,") == []


def test_columns_left_out_are_left_as_they_are():
    assert parse_sheet(f"{USDC}\n{OTHER},Name").lines == [
        Line(USDC, number=1),
        Line(OTHER, "Name", number=2),
    ]


def test_empty_cells_take_name_and_tags_off_and_leave_the_balance():
    assert parse_sheet(f"{USDC},,,,").lines == [Line(USDC, "", (), False, None, number=1)]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("nonsense", "'nonsense' is not a wallet address"),
        (f"{USDC[:-8]}", "is not a wallet address"),
        (f"{USDC};name;team", "Separate columns by commas"),
        (f"{USDC},a,b,no,1,more", "'more' is in none of the columns"),
        (f"{USDC},{'x' * 101}", "The alias is longer than 100 characters"),
        (f"{USDC},a\x00b", "cannot be shown"),
        (f"{USDC},,{'x' * 41}", "longer than 40 characters"),
        (f"{USDC},,,perhaps", "Hidden must be yes or no, not 'perhaps'"),
        (f"{USDC},,,,-1", "'-1' is not a balance"),
        (f"{USDC},,,,nan", "'nan' is not a balance"),
        (f"{USDC},,,,1e999", "'1e999' is not a balance"),
        (f"{USDC},,,,1_000", "'1_000' is not a balance"),
        (f'{USDC},,,,"1,5"', "'1,5' is not a balance"),
        (f'{USDC},"never closed', "cannot be read as CSV"),
    ],
)
def test_bad_line_is_named_by_its_number(row, said):
    ((number, sentence),) = read_mistakes(f"address,alias,tags,hidden,balance\n\n{row}")

    assert number == 3
    assert said in sentence


def test_every_bad_line_is_listed_and_a_line_with_two_mistakes_says_both():
    text = f'{USDC},"two\nlines",,maybe,x\nbad\n{OTHER}\n{OTHER},again\n'

    said = read_mistakes(text)

    assert [number for number, _ in said] == [1, 1, 1, 3, 5]
    assert "cannot be shown" in said[0][1]
    assert "Hidden must be" in said[1][1]
    assert "not a balance" in said[2][1]
    assert said[4][1] == "The address is on line 4 already."
    assert [line.address for line in parse_sheet(text).lines] == [OTHER]


def test_more_than_a_page_can_track_are_refused_as_a_whole():
    lines = [base58.b58encode(number.to_bytes(32, "big")).decode() for number in range(1, 7)]

    assert len(parse_sheet("\n".join(lines[:5]), max_wallets=5).lines) == 5
    sheet = parse_sheet("\n".join(lines), max_wallets=5)
    assert sheet.lines == []
    ((number, sentence),) = [(one.number, str(one.cause)) for one in sheet.mistakes]
    assert number == 6
    assert sentence == "A page can track at most 5 wallets (MAX_WALLETS)."


def test_file_that_is_not_utf_8_is_refused_with_the_line():
    with pytest.raises(InvalidInput, match="Line 2 is not UTF-8"):
        decode_sheet(f"{USDC}\n{OTHER},Zoë".encode("latin-1"))


def test_byte_order_mark_is_no_part_of_the_text():
    assert decode_sheet(b"\xef\xbb\xbfaddress") == "address"


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''+"),
        *("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)", "'\uff1d1"),
    ],
)
def test_formula_is_escaped_and_comes_back_exactly(cell):
    shown = escape_formula(cell)

    assert shown == f"'{cell}"
    assert unescape_formula(shown) == cell


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("x;'=1", "x;''=1"),
        ("=a;-b;c;\uff20d", "'=a;'-b;c;'\uff20d"),
        (";;=1", ";;'=1"),
    ],
)
def test_formula_after_a_semicolon_is_escaped_and_comes_back_exactly(cell, shown):
    assert escape_formula(cell) == shown
    assert unescape_formula(shown) == cell


@pytest.mark.parametrize("cell", ["", "plain", "'", "'s", "1-1", "a=b", "a;b=c", ";", "a;'"])
def test_what_is_no_formula_stays_as_it_is(cell):
    assert escape_formula(cell) == unescape_formula(cell) == cell


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
tables = st.lists(lines, max_size=5, unique_by=lambda line: line.address)


@given(tables)
def test_what_is_written_is_read_back_exactly(table):
    sheet = parse_sheet(format_sheet(table))

    assert sheet.mistakes == []
    assert [
        (line.address, line.alias, line.tag_names, line.is_hidden, line.balance)
        for line in sheet.lines
    ] == [
        (line.address, line.alias, line.tag_names, line.is_hidden, line.balance) for line in table
    ]


@given(tables)
def test_no_written_cell_begins_a_formula(table):
    for row in csv.reader(io.StringIO(format_sheet(table), newline="")):
        for part in ";".join(row).split(";"):
            assert not part.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r"))


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text):
    parse_sheet(text)


# Mistakes that are alike are told together


def group(*numbers: int, kind: Kind = Kind.ADDRESS):
    (found,) = group_mistakes([Mistake(number, kind, InvalidInput("Bad.")) for number in numbers])
    return found


def test_first_mistakes_of_a_kind_are_examples_and_a_single_one_needs_none():
    assert list(group(1_200).examples) == []
    found = group(*range(2, 10_002))

    assert (found.ranges, found.rest) == ([(2, 10_001)], 0)
    assert [example.number for example in found.examples] == [2, 3, 4]


@pytest.mark.parametrize(
    ("numbers", "ranges", "rest"),
    [
        ([4, 9], [(4, 4), (9, 9)], 0),
        ([2, 3, 4, 9], [(2, 4), (9, 9)], 0),
        ([1, 3, 5, 7, 9, 11], [(1, 1), (3, 3), (5, 5), (7, 7), (9, 9), (11, 11)], 0),
        (
            [1, 3, 5, 6, 7, 9, 11, 13, 15, 16],
            [(1, 1), (3, 3), (5, 7), (9, 9), (11, 11), (13, 13)],
            2,
        ),
    ],
)
def test_lines_are_named_as_ranges_and_the_rest_is_counted(numbers, ranges, rest):
    found = group(*numbers)

    assert (found.ranges, found.rest) == (ranges, rest)


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
