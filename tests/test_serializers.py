"""JSON output: amounts are exact, and everything else is as in the standard library."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.amounts import MAX_AMOUNT, MAX_DECIMALS
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


amounts = st.decimals(0, MAX_AMOUNT, places=MAX_DECIMALS)
texts = st.text(st.characters(exclude_categories=("Cs",)))
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | amounts | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


@given(documents)
def test_every_document_is_read_back_exactly(document):
    for is_compact in (True, False):
        written = write_json(document, is_compact=is_compact).decode("utf-8")
        assert json.loads(written, parse_float=Decimal) == document
