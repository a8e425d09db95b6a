import pytest

from embed.domain.reasons import CODES, MAX_LENGTH, Reason, parse_reason
from embed.errors import InvalidInput


@pytest.mark.parametrize("code", CODES)
def test_code_is_read_as_one(code):
    assert parse_reason(code) == Reason(code=code)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("  Ask me first. ", "Ask me first."),
        ("Ame\u0301lie", "Amélie"),
        ("<b>مرحبا</b> & 'x'", "<b>مرحبا</b> & 'x'"),
        ("e\u0301" * MAX_LENGTH, "é" * MAX_LENGTH),
    ],
)
def test_own_words_are_trimmed_and_composed(raw, text):
    assert parse_reason(raw) == Reason(text=text)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (" \t ", "must not be empty"),
        ("x" * (MAX_LENGTH + 1), "longer than 200 characters"),
        ("a" + "\u0301" * 60_000, "longer than 200 characters"),
        ("two\nlines", "can't be shown"),
        ("\u202eabc", "can't be shown"),
    ],
)
def test_other_words_are_refused_with_a_sentence(raw, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        parse_reason(raw)
