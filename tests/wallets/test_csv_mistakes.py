"""Mistakes that are alike are told together, with the lines where they are."""

import pytest

from embed.errors import InvalidInput
from embed.wallets.csv_mistakes import Kind, Mistake, group_mistakes


def group(*numbers: int, kind: Kind = Kind.ADDRESS):
    (found,) = group_mistakes([Mistake(number, kind, InvalidInput("Bad.")) for number in numbers])
    return found


def test_single_mistake_needs_no_examples():
    assert list(group(1_200).examples) == []


def test_first_mistakes_of_a_kind_are_examples():
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
