"""A look is made of known values only, whatever is asked for."""

import pytest

from embed.domain.look import FIELDS, Look, list_choices, resolve_order
from embed.errors import InvalidInput

LOOK = Look().change(
    {
        "accent": "#FF6600",
        "neutral": "sand",
        "radius": "0",
        "density": "compact",
        "font": "serif",
        "size": "18",
        "theme": "dark",
        "order": "balance",
        "explorer": "orb",
        "hide": "add,heading",
    }
)


def test_every_field_is_read_from_the_text_that_it_is_written_as():
    texts = LOOK.write_texts()

    assert set(texts) == set(FIELDS)
    assert texts["accent"] == "ff6600"
    assert texts["hide"] == "heading,add"
    assert Look().change(texts) == LOOK
    assert LOOK.change(Look().write_texts()) == Look()


def test_every_choice_is_taken():
    for name in set(FIELDS) - {"accent"}:
        for choice in list_choices(name):
            assert LOOK.change({name: choice}).write_texts()[name] == choice


@pytest.mark.parametrize("order", ["balance", "newest", "name", "listed"])
def test_order_that_somebody_chose_is_kept(order):
    assert resolve_order(order, has_balances=False) == order
    assert resolve_order(order, has_balances=True) == order


def test_automatic_order_is_by_balance_once_one_is_known():
    assert Look().order == "auto"
    assert resolve_order("auto", has_balances=True) == "balance"
    assert resolve_order("auto", has_balances=False) == "listed"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("accent", ""),
        ("accent", "ff6600\n\n0"),
        ("accent", "red;}*{display:none}"),
        ("font", "Comic Sans"),
        ("explorer", "https://evil.example"),
        ("hide", "add,everything"),
    ],
)
def test_other_value_is_refused_by_the_name_of_its_field(name, text):
    with pytest.raises(InvalidInput, match=f"(?i){name}") as refusal:
        LOOK.change({name: text})

    assert refusal.value.field == name


def test_field_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match="no colour, only accent, neutral"):
        LOOK.change({"colour": "ff6600"})


def test_address_overrides_what_it_names_and_other_values_count_as_absent():
    asked = {"accent": "red", "radius": "9", "size": "14", "colour": "1", "hide": "everything"}

    assert LOOK.override(asked) == LOOK.change({"size": "14"})


def test_address_hides_the_parts_that_are_known_or_none():
    assert LOOK.override({"hide": "tools,everything"}).hide == ("tools",)
    assert LOOK.override({"hide": ""}).hide == ()
