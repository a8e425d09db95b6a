"""Reading CSV as it comes: encodings, delimiters, headings, numbers, and what cannot be read."""

from contextlib import suppress
from decimal import Decimal

import base58
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.world import USDC

from embed.errors import InvalidInput
from embed.translations import LANGUAGES, load_catalog
from embed.wallets.csv_format import COLUMNS, Line
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import Table, decode_csv, read_table
from embed.wallets.tracking import PageFull

OTHER, THIRD = (base58.b58encode(bytes([number]) * 32).decode() for number in (1, 2))


def read(text: str) -> Table:
    return read_table(text, max_wallets=50_000)


def read_lines(text: str) -> list[tuple[object, ...]]:
    parsed = parse_table(read(text))
    assert parsed.mistakes == []
    return [(line.address, line.alias, line.balance) for line in parsed.lines]


def read_mistakes(text: str) -> list[tuple[int, str]]:
    return [(mistake.number, str(mistake.cause)) for mistake in parse_table(read(text)).mistakes]


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_text_is_read_in_every_usual_encoding(encoding):
    text = f"{USDC},Zoë\r\n"

    assert decode_csv(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"PK\x03\x04\x14\x00", "Save it as CSV"),  # .xlsx
        (b"\x81\xff", "Save it as “CSV UTF-8”"),
    ],
)
def test_what_is_no_text_is_refused_with_advice(raw, said):
    with pytest.raises(InvalidInput, match=said):
        decode_csv(raw)


# Delimiters, quotation marks and lines


@pytest.mark.parametrize(
    "text",
    [
        f"wallet,name\n{USDC},Low Tide\n{OTHER},Ferry\n",
        f"sep=;\r\n{USDC};Low Tide\r\n{OTHER};Ferry",
        f'"wallet" , "name"\n  {USDC} , "Low Tide" ,,\n\n,,,\n"{OTHER}","Ferry",\n',
        f"wallet,name\r{USDC},Low Tide\r\n\n{OTHER},Ferry",
        f"wallet,name\n{USDC};Low Tide\n{OTHER}\tFerry\n",
        f'wallet,name\n"{USDC},Low Tide"\n"{OTHER},""Ferry"""\n',
        f"Low Tide,solana:{USDC}\nFerry,\u200b{OTHER}\u200b\n",
        f"at,who,name\nhttps://solscan.io/account/{THIRD},{USDC},Low Tide\n,{OTHER},Ferry",
    ],
)
def test_same_wallets_are_read_from_every_form(text):
    assert read_lines(text) == [(USDC, "Low Tide", None), (OTHER, "Ferry", None)]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        (f"address,tags\n{USDC},a;b\n{OTHER},c;d;e\n", ","),
        (f"address;name;amount\n{USDC};Smith, John;1,5\n{OTHER};Doe, Jane;2,5\n", ";"),
        (f"{USDC}\tSmith, John; Jr.", "\t"),
    ],
)
def test_delimiter_is_the_one_that_sets_addresses_apart(text, delimiter):
    assert read(text).delimiter == delimiter


def test_lines_are_numbered_as_in_the_file():
    text = f'sep=,\n\naddress,comment\n{USDC},"two\nlines"\n\nbad,\n{USDC},'

    assert [number for number, _ in read_mistakes(text)] == [7, 8]


# Columns


@pytest.mark.parametrize(
    ("heading", "columns"),
    [
        ("Address,Alias,Tags,Hidden,Balance", ["address", "alias", "tags", "hidden", "balance"]),
        ("owner,,tags,,Amount (DEMO)", ["address", "", "tags", "", "balance"]),
        ("wer,name,label,amount,ui_amount", ["address", "alias", "", "", "balance"]),
    ],
)
def test_columns_are_known_by_their_headings(heading, columns):
    assert read(f"{heading}\n{USDC},a,b,no,1\n{OTHER},c,d,no,5\n").columns == columns


@pytest.mark.parametrize(
    ("heading", "yes", "no"),
    [
        ("address,alias,tags,hidden,balance", "YES", "no"),
        ("address,alias,tags,Hidden?,balance", "TRUE", "0"),
        ("العنوان,الاسم,الوسوم,مخفية,الرصيد", "نعم", "لا"),
        ("Wallet,Bezeichnung,Gruppe,Verborgen,Betrag (DEMO)", "WAHR", "FALSCH"),
        ("Adres,Ad,Etiketler,GİZLİ,Bakiye", "EVET", "HAYIR"),
    ],
)
def test_file_in_each_language_says_who_is_hidden(heading, yes, no):
    rows = f"{USDC},a,b,{yes},1\n{OTHER},c,d, {no}\u200b,5\n"
    parsed = parse_table(read(f"{heading}\n{rows}"))

    assert parsed.mistakes == []
    assert parsed.lines == [
        Line(USDC, "a", ("b",), True, Decimal(1), number=2),
        Line(OTHER, "c", ("d",), False, Decimal(5), number=3),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_headings_are_also_what_the_dashboard_calls_them(language):
    names = map(load_catalog(language).gettext, ("Address", "Name", "Tags", "Hidden", "Balance"))
    headings = [name.strip("\u2066\u2069") for name in names]

    assert list(read(f"{','.join(headings)}\n{USDC},a,b,no,1").columns) == list(COLUMNS)


def test_owner_is_the_wallet_and_not_the_account_of_the_token():
    for heading in ("Account,Token Account,Quantity", "owner,account,amount"):
        table = read(f"{heading}\n{USDC},{THIRD},1\n{OTHER},{THIRD},2")
        assert table.columns == ["address", "", "balance"]
    assert read(f"address,owner\n{THIRD},{USDC}\n{THIRD},{OTHER}").columns == ["", "address"]


def test_cells_decide_where_a_heading_says_something_else():
    assert read(f"owner,key\nAnn,{USDC}\nBob,{OTHER}").columns == ["", "address"]
    assert read(f"Кто,Сколько\n{USDC},1\n{OTHER},2").columns == ["address", ""]


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([f"{USDC},Low Tide,team,no,12"], ["address", "alias", "tags", "hidden", "balance"]),
        ([f"{USDC},balance,address"], ["address", "alias", "tags"]),
        ([f"1,{USDC}", f"2,{OTHER}", f"3,{THIRD}"], ["", "address"]),
        ([f"{USDC},2026-08-02,Low Tide"], ["address", "", "alias"]),
        ([f"Low Tide,{USDC},team"], ["", "address", ""]),
    ],
)
def test_without_a_heading_nothing_is_guessed_against_the_cells(rows, columns):
    assert read("\n".join(rows)).columns == columns


@pytest.mark.parametrize("text", [f"{USDC},{OTHER}", "bad\nbad", "name,amount\nx,1"])
def test_uncertain_address_is_a_question(text):
    with pytest.raises(InvalidInput, match="isn't clear which column has the addresses"):
        parse_table(read(text))


def test_owner_corrects_what_was_recognized():
    table = read(f"{USDC},5,Low Tide,x\n{OTHER},7,Ferry,y")

    assert table.columns == ["address", "balance", "", ""]
    assert parse_table(table, ["address", "", "alias", "tags"]).lines == [
        Line(USDC, "Low Tide", ("x",), number=1),
        Line(OTHER, "Ferry", ("y",), number=2),
    ]
    with pytest.raises(InvalidInput, match="Two columns have the same meaning"):
        parse_table(table, ["address", "alias", "alias", ""])


def test_empty_cells_take_name_and_tags_off_and_leave_the_balance():
    text = f"address,alias,tags,hidden,balance\n{USDC},,,,"

    assert parse_table(read(text)).lines == [Line(USDC, "", (), False, None, number=2)]


# Numbers


@pytest.mark.parametrize(
    ("cells", "amounts"),
    [
        (["1,234,567.89", "1,234"], ["1234567.89", "1234"]),
        (["1.234,57", "1.234"], ["1234.57", "1234"]),
        (["0,123"], ["0.123"]),
        (["0.123", "1.5e3", ".5"], ["0.123", "1500", "0.5"]),
        (["1 234,5", "1\u00a0234\u202f567"], ["1234.5", "1234567"]),
    ],
)
def test_numbers_are_read_as_their_column_writes_them(cells, amounts):
    rows = "".join(
        f'{base58.b58encode(bytes([number]) * 32).decode()};"{cell}"\n'
        for number, cell in enumerate(cells, 1)
    )

    assert [balance for _, _, balance in read_lines(f"wallet;amount\n{rows}")] == [
        Decimal(amount) for amount in amounts
    ]


def test_number_of_two_meanings_is_a_mistake():
    said = "It can mean 1.234 or 1234. Write balances without thousands separators."
    for cell in ("1.234", "1,234"):
        ((number, sentence),) = read_mistakes(f"wallet;amount\n{USDC};{cell}\n{OTHER};5")
        assert (number, sentence) == (2, f"'{cell}' isn't a balance. {said}")
    mixed = f'wallet;amount\n{USDC};1.234,5\n{OTHER};"1,234.5"\n{THIRD};1.234'
    assert [number for number, _ in read_mistakes(mixed)] == [4]


def test_point_is_before_decimals_where_commas_separate_columns():
    assert read_lines(f"wallet,amount\n{USDC},1.234")[0][2] == Decimal("1.234")


# Mistakes


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("nonsense", "'nonsense' isn't a Solana address"),
        (f"{USDC[:6]}0{USDC[7:]}", "“0” at place 7 isn't used in addresses"),
        (f"{USDC},a,b,no,1,more", "'more' belongs to none of the columns"),
        (f"{USDC},{'x' * 101}", "The alias is longer than 100 characters"),
        (f'{USDC},"=HYPERLINK(""https://evil.example"")"', "is a formula. Save its result"),
        (f"{USDC},,{'x' * 41}", "longer than 40 characters"),
        (f"{USDC},,,perhaps", "Hidden must be yes or no, not 'perhaps'"),
        (f"{USDC},,,,1_000", "'1_000' isn't a balance"),
        (f"{USDC},,,,{'1' * 101}", "isn't a balance"),
    ],
)
def test_bad_line_is_named_by_its_number(row, said):
    heading = "address,alias,tags,hidden,balance"
    ((number, sentence),) = read_mistakes(f"{heading}\n{OTHER}\n\n{row}")

    assert number == 4
    assert said in sentence


def test_every_bad_line_is_listed_and_a_line_with_two_mistakes_says_both():
    text = f"address,alias,hidden,balance\n{USDC},a\x07,maybe,x\nbad\n{OTHER}\n{OTHER},again\n"

    said = read_mistakes(text)

    assert [number for number, _ in said] == [2, 2, 2, 3, 5]
    assert "can't be shown" in said[0][1]
    assert "Hidden must be" in said[1][1]
    assert "isn't a balance" in said[2][1]
    assert said[4][1] == "The address is already on line 4."
    assert [line.address for line in parse_table(read(text)).lines] == [OTHER]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no wallets in this file"),
        (f"{USDC},a\0b", "isn't a text file"),
        (
            f'{USDC}\n{OTHER},"' + "never closed\n" * 20_000,
            "quotation mark on line 2 isn't closed",
        ),
        (f"{USDC}\n{'x' * 2_000_000}\n", "Line 2 has more than 100,000 characters"),
        (
            f"{USDC}\n{USDC}{',x' * 9_999}\n",
            "Line 2 has 10,000 columns",
        ),
    ],
)
def test_file_that_cannot_be_read_is_refused_with_advice(text, said):
    with pytest.raises(InvalidInput, match=said):
        read(text)


def test_more_than_a_page_can_track_are_refused_as_a_whole():
    lines = [base58.b58encode(number.to_bytes(32, "big")).decode() for number in range(1, 7)]

    for heading in ([], ["address"]):
        assert len(read_table("\n".join(heading + lines[:5]), max_wallets=5).rows) == 5
        with pytest.raises(PageFull):
            read_table("\n".join(heading + lines), max_wallets=5)


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(str.encode)
    | st.text(f"{USDC[:3]},;\t\n\"'=.1", max_size=60).map(str.encode)
)
@example(f'"{USDC};a name\non two lines"'.encode())
def test_no_file_breaks_the_reading(raw):
    with suppress(InvalidInput):
        parse_table(read(decode_csv(raw)))
