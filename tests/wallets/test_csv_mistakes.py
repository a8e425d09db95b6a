"""Mistakes that are alike are told together, with the lines where they are."""

import pytest

from embed.wallets.csv_mistakes import Kind, Mistake, group_mistakes


def group(*numbers: int, kind: Kind = Kind.ADDRESS):
    (found,) = group_mistakes([Mistake(number, kind, f"'{number}' is bad.") for number in numbers])
    return found


def test_single_mistake_is_told_in_full():
    found = group(1_200)

    assert found.title == "Line 1,200: '1200' is bad."
    assert list(found.examples) == []


def test_mistakes_of_a_kind_are_counted_with_the_first_as_examples():
    found = group(*range(2, 10_002))

    assert found.title == "10,000 lines have no valid wallet address."
    assert found.lines == "Lines 2 to 10,001"
    assert [example.number for example in found.examples] == [2, 3, 4]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([4, 9], "Lines 4 and 9"),
        ([2, 3, 4, 9], "Lines 2 to 4 and 9"),
        ([1, 3, 5, 7, 9, 11], "Lines 1, 3, 5, 7, 9 and 11"),
        ([1, 3, 5, 6, 7, 9, 11, 13, 15, 16], "Lines 1, 3, 5 to 7, 9, 11, 13 and 2 more"),
    ],
)
def test_lines_are_named_as_ranges_and_the_rest_is_counted(numbers, said):
    assert group(*numbers).lines == said


def test_largest_group_comes_first_and_no_mistake_is_lost():
    mistakes = [
        Mistake(1, Kind.BALANCE, "a"),
        Mistake(2, Kind.REPEATED, "b"),
        Mistake(2, Kind.BALANCE, "c"),
        Mistake(3, Kind.REPEATED, "d"),
        Mistake(4, Kind.REPEATED, "e"),
    ]

    groups = group_mistakes(mistakes)

    assert [found.kind for found in groups] == [Kind.REPEATED, Kind.BALANCE]
    assert sorted(one.sentence for found in groups for one in found.mistakes) == list("abcde")
