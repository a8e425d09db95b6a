"""A column of amounts has one unit, and a change is a percentage, in all languages."""

from decimal import Decimal

import pytest
from flask import Flask

from embed.translations import LANGUAGES
from embed.web.figures import Column, format_change
from embed.web.languages import choose_language


@pytest.fixture
def speak():
    """Return a function that chooses the reader's language."""
    with Flask(__name__).test_request_context():
        yield choose_language


def write(*amounts: str) -> list[str]:
    """Write a column, of which the first amount is the largest."""
    column = Column.of(Decimal(amounts[0]))
    return [column.write(Decimal(amount)) for amount in amounts]


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        (("412345678.5", "8874058.93"), ["412M", "9M"]),
        (("73512345", "8874058.93", "1000000"), ["73.5M", "8.9M", "1.0M"]),
        (("8354321", "1500", "123456.7"), ["8.35M", "<0.01M", "0.12M"]),
        (("0.0001235", "0.00005"), ["0.000124", "0.000050"]),
        (("99999999999999999999", "1234567890123456789"), ["100,000,000T", "1,234,568T"]),
        # The unit is that of the rounded amount; else the largest would be 1,000K or 10.00K.
        (("999499", "999500", "9995"), ["999K", "1,000K", "10K"]),
        (("999500",), ["1.00M"]),
        # Zero is zero, and what is held is never written as zero.
        (("412345678", "0", "0.000", "500000", "500001"), ["412M", "0", "0", "<1M", "1M"]),
        (("1E-20", "4E-21"), [f"0.{19 * '0'}1", f"<0.{19 * '0'}1"]),
        # Rounded once: through a float or 28 digits, this would be half of a figure.
        (("412000000", "500000.00000000000000000001"), ["412M", "1M"]),
    ],
)
def test_largest_amount_of_a_column_has_three_digits_and_decides_for_the_others(
    speak, amounts, shown
):
    speak("en")

    assert write(*amounts) == shown


# A column of thousands, one of millions, one of billions; and changes.
IN_LANGUAGES = {
    "en": (("412K", "<1K"), ("73.5M", "<0.1M"), ("4.12B", "0"), ("+0.8%", "−12.3%")),
    "de": (
        ("412.346", "4"), ("73,5\xa0Mio.", "<0,1\xa0Mio."), ("4,12\xa0Mrd.", "0"),
        ("+0,8\xa0%", "−12,3\xa0%"),
    ),
    "fr": (
        ("412\xa0k", "<1\xa0k"), ("73,5\xa0M", "<0,1\xa0M"), ("4,12\xa0Md", "0"),
        ("+0,8\xa0%", "−12,3\xa0%"),
    ),
    "es": (
        ("412\xa0mil", "<1\xa0mil"), ("73,5\xa0M", "<0,1\xa0M"), ("4.123\xa0M", "0"),
        ("+0,8\xa0%", "−12,3\xa0%"),
    ),
    "pt": (
        ("412\xa0mil", "<1\xa0mil"), ("73,5\xa0mi", "<0,1\xa0mi"), ("4,12\xa0bi", "0"),
        ("+0,8%", "−12,3%"),
    ),
    "tr": (
        ("412\xa0B", "<1\xa0B"), ("73,5\xa0Mn", "<0,1\xa0Mn"), ("4,12\xa0Mr", "0"),
        ("+%0,8", "−%12,3"),
    ),
    "ru": (
        ("412\xa0тыс.", "<1\xa0тыс."), ("73,5\xa0млн", "<0,1\xa0млн"), ("4,12\xa0млрд", "0"),
        ("+0,8\xa0%", "−12,3\xa0%"),
    ),
    "ar": (
        ("412\xa0ألف", "<1\xa0ألف"), ("73.5\xa0مليون", "<0.1\xa0مليون"), ("4.12\xa0مليار", "0"),
        ("+0.8%", "−12.3%"),
    ),
    "ja": (("41.2万", "<0.1万"), ("7,351万", "<1万"), ("41.2億", "0"), ("+0.8%", "−12.3%")),
    "zh": (("41.2万", "<0.1万"), ("7,351万", "<1万"), ("41.2亿", "0"), ("+0.8%", "−12.3%")),
}  # fmt: skip


@pytest.mark.parametrize("language", IN_LANGUAGES | LANGUAGES)
def test_figures_are_those_of_the_language(speak, language):
    speak(language)
    thousands, millions, billions, changes = IN_LANGUAGES[language]

    assert tuple(write("412345.6", "4")) == thousands
    assert tuple(write("73512345", "4000")) == millions
    assert tuple(write("4123456789", "0")) == billions
    assert (format_change(Decimal("0.008")), format_change(Decimal("-0.1234"))) == changes


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("0.0006", "+0.1%"),
        ("0.9996", "+100%"),
        ("9.99", "+999%"),
        ("9.991", ">999%"),
        ("-0.0004", ""),
        ("0", ""),
    ],
)
def test_change_has_three_digits_at_most_and_is_empty_where_there_is_none(speak, part, shown):
    speak("en")

    assert format_change(Decimal(part)) == shown
    assert format_change(None) == ""
