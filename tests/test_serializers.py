"""JSON output: amounts are exact, and everything else is as in the standard library."""

from decimal import Decimal

import pytest

from embed.serializers import write_json


@pytest.mark.parametrize(
    ("value", "spacious", "compact"),
    [
        ({}, "{}", "{}"),
        (
            {
                "a": Decimal("18446744073.709551615"),
                "b": [None, True, -1],
                "c": {"d": "é: , \u2028"},
            },
            '{"a": 18446744073.709551615, "b": [null, true, -1], "c": {"d": "é: , \u2028"}}',
            '{"a":18446744073.709551615,"b":[null,true,-1],"c":{"d":"é: , \u2028"}}',
        ),
        (
            [Decimal("1E-7"), {"a": Decimal("1E+20")}, Decimal("1500.0"), Decimal("-0")],
            '[0.0000001, {"a": 100000000000000000000}, 1500, 0]',
            '[0.0000001,{"a":100000000000000000000},1500,0]',
        ),
        ((Decimal("0.5"), "in a tuple"), '[0.5, "in a tuple"]', '[0.5,"in a tuple"]'),
    ],
)
def test_json_is_written_on_one_line(value, spacious, compact):
    assert write_json(value).decode() == spacious
    assert write_json(value, is_compact=True).decode() == compact


def test_lone_surrogate_is_refused_as_no_text():
    with pytest.raises(UnicodeEncodeError):
        write_json({"name": "\ud800"})
