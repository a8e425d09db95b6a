"""Texts that are wrong in interesting ways: bytes of any kind, and valid texts with a few edits."""

from collections.abc import Callable

from hypothesis import strategies as st

# What headers and paths can hold: any byte but line ends and NUL, which servers refuse.
byte_texts = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=60)
unicode_texts = st.text(st.characters(), max_size=40)
_insertions = byte_texts | st.sampled_from(
    [*"/.:;,%@#?&=+-_*'\"<>\\ \t~[](){}|^A0", "", "%00", "%ff", "..", "//", "xn--", "\xff"]
)
_places = st.floats(0, 1), st.integers(0, 3), st.booleans()

Edit = Callable[[str], str]


def _make_edit(changes: list[tuple[float, int, bool, str]]) -> Edit:
    """Return what replaces parts of a text, or swaps their case.

    Examples must not depend on ids and keys, which are new in every run, so an edit says where
    by a fraction of the length.
    """

    def edit(text: str) -> str:
        for place, length, swaps_case, insertion in changes:
            start = round(place * len(text))
            end = min(len(text), start + length)
            # Bytes, not text: the capital of ÿ is no byte.
            swapped = text[start:end].encode("utf-8").swapcase().decode("utf-8")
            middle = swapped if swaps_case else insertion
            text = text[:start] + middle + text[end:]
        return text

    return edit


edits: st.SearchStrategy[Edit] = st.one_of(
    st.lists(st.tuples(*_places, _insertions), max_size=3).map(_make_edit),
    byte_texts.map(lambda other: lambda _text: other),
)


def nearly(*valid: str) -> st.SearchStrategy[str]:
    """Return one of these texts as it is or edited, or another text altogether."""
    return st.builds(lambda edit, text: edit(text), edits, st.sampled_from(valid))
