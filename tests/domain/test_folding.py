"""Names are found however they're typed, and what is stored for that stays right."""

import hashlib
import sys
import unicodedata

import pytest

from embed.domain.folding import MAX_SEARCH_LENGTH, fold, fold_wallet, parse_search

ADDRESS = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"


@pytest.fixture(scope="module")
def folded() -> dict[str, str]:
    """Every character of this Python's Unicode, folded; not lone surrogates."""
    characters = map(chr, range(sys.maxunicode + 1))
    known = (one for one in characters if unicodedata.category(one) not in {"Cn", "Cs"})
    return {one: fold(one) for one in known}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Ärzte", "arzte"),
        ("A\u0308rzte", "ärzte"),
        ("Βορράς", "ΒΟΡΡΑΣ"),
        ("Straße", "STRASSE"),
        ("İzmir", "izmir"),
        ("Sleepy\u00a0Panda", "  sleepy  panda\n"),
        ("Ｆｕｌｌ ①", "full 1"),
        ("سَلام", "\u2067سلام\u2069"),
        ("Zero\u200bwidth\0", "zerowidth"),
    ],
)
def test_name_is_folded_as_it_is_typed(name, typed):
    assert fold(name) == fold(typed)
    assert fold(name)


def test_letters_of_other_scripts_stay_apart():
    assert fold("हिन्दी") != fold("हन्द")  # without its vowels
    assert len({fold(one) for one in "ħhŧtŋn"}) == 6


def test_text_is_folded_as_its_characters_are(folded):
    """So what holds for every character holds for every text: it is final, and has no spaces."""
    characters = [*folded]
    results = "".join(folded.values())
    assert fold(results) == results
    assert {" ", "\0", "\n"}.isdisjoint(results)

    for start in range(0, len(characters), 1000):
        some = characters[start : start + 1000]
        assert fold("".join(some)) == "".join(folded[one] for one in some)
    assert fold(f"{ADDRESS} ~") == fold(f"ä{ADDRESS} ~")[1:]


# Of the characters of Unicode 3.2 with every Python, and of all that Python 3.11 knows.
DIGESTS = {
    "3.2.0": "cf4eb2e2ef0e8622ab462eb585d5b1d8",
    "14.0.0": "aabc81b080fe8fdc1a18d3b70aa8684c",
}


@pytest.mark.parametrize("version", DIGESTS)
def test_stored_results_stay_right(folded, version):
    known = next(
        (one for one in (unicodedata.ucd_3_2_0, unicodedata) if one.unidata_version == version),
        None,
    )
    if known is None:
        pytest.skip(f"This Python has Unicode {unicodedata.unidata_version}.")
    results = "\n".join(folded[one] for one in folded if known.category(one) != "Cn")

    assert hashlib.sha256(results.encode()).hexdigest()[:32] == DIGESTS[version], (
        "fold has other results than those that databases have stored. Add a migration that calls"
        " embed.db.folded.fill, and then change the digest."
    )


# Searches


def find(raw: str, *texts: str) -> list[bool] | None:
    search = parse_search(raw)
    return search and search.find(texts)


@pytest.mark.parametrize(
    "raw",
    [ADDRESS, "JBKHETQ", "7xKX…gAsU", " 7xkx ... gasu ", "7xKX…", "…gAsU", "PÄNDA", "k.y..p"],
)
def test_search_finds_by_name_address_and_shortened_address(raw):
    wallet = fold_wallet("Sleek.y.. Panda", ADDRESS)
    other = fold_wallet("Moon", ADDRESS.swapcase()[::-1])
    assert find(raw, wallet, other) == [True, False]


@pytest.mark.parametrize("raw", ["gAsU…7xKX", "7xKX…gAsU…", "pan…AsU", "panda7x", "%"])
def test_search_finds_nothing_else(raw):
    assert find(raw, fold_wallet("Panda", ADDRESS), fold_wallet(None, ADDRESS)) == [False, False]


@pytest.mark.parametrize("raw", ["", "  ", "\u200e", "\0", "\u0301"])
def test_empty_search_looks_for_nothing(raw):
    assert parse_search(raw) is None


def test_dots_alone_are_looked_for_in_names():
    wallets = (fold_wallet("Wait...", ADDRESS), fold_wallet("Panda", ADDRESS))
    assert find("…", *wallets) == [True, False]


def test_only_the_beginning_of_a_long_search_is_looked_at():
    typed = "a" * MAX_SEARCH_LENGTH

    assert parse_search(typed + "b" * 10_000) == parse_search(typed)
