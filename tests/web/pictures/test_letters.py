"""The letters of pictures: which texts can be drawn, and where they are cut and broken."""

import re

import pytest

from embed.domain.colors import find_tag_color
from embed.settings import PROJECT_DIR
from embed.web.pictures.canvas import fit_lines
from embed.web.pictures.letters import load_font, make_drawable, shorten, wrap

REGULAR = load_font(40)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Größe, émile, łódź, Đorđe, İzmir", "Größe, émile, łódź, Đorđe, İzmir"),
        ("Βορράς", "Βορράς"),
        ("Ольга і Ґалаґан", "Ольга і Ґалаґан"),
        ("e\u0301mile", "émile"),  # composed
        ("1\u202f234,5\u00a0%", "1\u00a0234,5\u00a0%"),
        ("\u2068$HARBR\u2069 \u200e41.8%", "$HARBR 41.8%"),
        ("Harbor Cat 🐱❤️", "Harbor Cat"),
        ("№ 8, 5 °", "№ 8, 5 °"),
        ("a \t\n b", "a b"),
        ("−5 · 3…", "−5 · 3…"),
        ("", ""),
    ],
)
def test_latin_greek_and_cyrillic_are_drawn_without_what_only_decorates(text, drawn):
    assert make_drawable(text) == drawn


@pytest.mark.parametrize(
    "text",
    ["猫", "ねこ", "قطة", "חתול", "हिन्दी", "แมว", "고양이", "Ann 猫", "\ue000", "\U0010ffff"],
)
def test_text_with_a_letter_that_the_font_lacks_is_left_out_whole(text):
    assert make_drawable(text) == ""


def test_long_text_is_cut_to_its_width_with_an_ellipsis():
    cut = shorten("A very long name of a wallet", REGULAR, 200)

    assert cut.endswith("…")
    assert 150 < REGULAR.getlength(cut) <= 200
    assert shorten("Short", REGULAR, 200) == "Short"
    assert shorten("W" * 500, REGULAR, 10) == "…"


def test_lines_break_at_spaces_but_not_inside_of_figures():
    assert wrap("250 wallets hold 41,8\u00a0% of it", REGULAR, 300) == [
        "250 wallets hold",
        "41,8\u00a0% of it",
    ]
    assert wrap("one\ntwo", REGULAR, 300) == ["one", "two"]


def test_lines_have_similar_lengths_and_the_largest_size_that_fits():
    assert fit_lines("250 wallets hold 41.8% of $HARBR", (94, 50), 1060) == (
        ["250 wallets hold", "41.8% of $HARBR"],
        94,
    )
    lines, size = fit_lines("several rather long words " * 3, (94, 50), 1060)
    assert (len(lines), size) == (2, 50)
    assert fit_lines("W" * 100, (94, 50), 1060) == (["W" * 100], 50)  # is cut when it's drawn


def test_tags_have_the_colors_of_the_style_sheet():
    css = (PROJECT_DIR / "static/look/look.css").read_text()
    rules = re.findall(
        r"^((?:\[data-color\^=\"\w+\"\](?:, )?)+) \{ --dot: (.*?); \}", css, re.MULTILINE
    )
    names = {name: color for names, color in rules for name in re.findall(r'"(\w+)"', names)}
    expected = {
        name: re.sub(r"light-dark\(([^,]*),.*", r"\1", color) for name, color in names.items()
    }

    assert len(expected) > 20
    long = {name: f"#{find_tag_color(f'{name}-500')}" for name in expected}
    assert long == expected | {"black": "#000000"}
    assert find_tag_color("unknown") == "60646c"
