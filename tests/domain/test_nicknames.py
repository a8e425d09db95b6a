import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.nicknames import parse_nickname
from embed.errors import ApiError

THAI_KO_KAI = "\u0e01"
THAI_TONE = "\u0e48"
ARABIC_LIGATURE_OF_18 = "\ufdfa"


@pytest.mark.parametrize(
    "nickname",
    [
        pytest.param("x", id="one letter"),
        pytest.param("7", id="one digit"),
        pytest.param("whale_42.sol-eth", id="all punctuation that is allowed"),
        pytest.param("...", id="nothing but full stops"),
        pytest.param("Ann  Lee", id="two spaces within"),
        pytest.param("x" * 32, id="32 letters"),
        pytest.param("\U00020000" * 32, id="32 code points beyond 16 bits"),
        pytest.param("Jos\xe9 Nu\xf1ez", id="Spanish"),
        pytest.param("Nguy\u1ec5n Th\u1ecb", id="Vietnamese"),
        pytest.param("\u0141ukasz \xd8re", id="letters that do not decompose"),
        pytest.param("\u0410\u043d\u043d\u0430", id="Russian"),
        pytest.param(
            "\u0930\u093e\u091c\u0947\u0936 \u0915\u0941\u092e\u093e\u0930", id="Devanagari"
        ),
        pytest.param("\u0936\u094d\u0930\u0940", id="Devanagari with a virama"),
        pytest.param("\u0e2a\u0e21\u0e0a\u0e32\u0e22 \u0e43\u0e08\u0e14\u0e35", id="Thai"),
        pytest.param("\u0e01\u0e34\u0e4c\u0e1f\u0e17\u0e35\u0e48", id="Thai, two marks each"),
        pytest.param("\u0645\u062d\u0645\u062f \u0639\u0644\u064a", id="Arabic"),
        pytest.param("\u05d3\u05d5\u05d3 \u05dc\u05d5\u05d9", id="Hebrew"),
        pytest.param("\u05d1\u05b5\u05df", id="Hebrew with a vowel point"),
        pytest.param("\u0ba8\u0bbf\u0bb5\u0bc7\u0ba4\u0bbe", id="Tamil"),
        pytest.param("\uae40\ubbfc\uc900", id="Korean"),
        pytest.param("\u7530\u4e2d \u3055\u304f\u3089", id="Japanese"),
        pytest.param("\u30e6\u30fc\u30b6\u30fc", id="Katakana with its long sound"),
        pytest.param("\u0663\u0664", id="Arabic digits"),
        pytest.param("\U00013080", id="Egyptian hieroglyph"),
        pytest.param(THAI_KO_KAI + THAI_TONE * 4, id="four marks on one letter"),
    ],
)
def test_nickname_that_needs_nothing_is_kept(nickname):
    assert parse_nickname(nickname) == nickname


@pytest.mark.parametrize(
    ("raw", "nickname"),
    [
        pytest.param("  Ann  ", "Ann", id="spaces around"),
        pytest.param("\tAnn\r\n", "Ann", id="tab and line end around"),
        pytest.param("\xa0Ann\xa0", "Ann", id="no-break spaces around"),
        pytest.param("\u3000Ann\u2003", "Ann", id="wide spaces around"),
        pytest.param(" " * 100 + "x" * 32 + " " * 100, "x" * 32, id="more than 32 with the spaces"),
        pytest.param("Ann\xa0Lee", "Ann Lee", id="no-break space within"),
        pytest.param("Ann\u3000Lee", "Ann Lee", id="wide space within"),
        pytest.param("Jose\u0301", "Jos\xe9", id="accent composes"),
        pytest.param("e\u0301" * 32, "\xe9" * 32, id="64 code points that compose to 32"),
        pytest.param("\u1112\u1161\u11ab", "\ud55c", id="Hangul letters compose"),
        pytest.param("\uff21\uff4e\uff4e\uff3f\uff14\uff12", "Ann_42", id="fullwidth forms"),
        pytest.param("\uff76\uff9e", "\u30ac", id="halfwidth Katakana"),
        pytest.param("\U0001d4d0\U0001d4f7\U0001d4f7", "Ann", id="mathematical letters"),
        pytest.param("\ufb01nn", "finn", id="ligature"),
        pytest.param("x\xb2", "x2", id="superscript"),
        pytest.param("\u2460", "1", id="circled digit"),
        pytest.param("\u2163", "IV", id="Roman numeral"),
        pytest.param(
            "\u0e19\u0e49\u0e33", "\u0e19\u0e49\u0e4d\u0e32", id="Thai vowel of two parts"
        ),
        pytest.param(
            ARABIC_LIGATURE_OF_18,
            "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 "
            "\u0648\u0633\u0644\u0645",
            id="one code point that becomes 18",
        ),
    ],
)
def test_nickname_is_kept_trimmed_and_normalised(raw, nickname):
    assert parse_nickname(raw) == nickname


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param(" ", id="space"),
        pytest.param("\r\n\t", id="control characters that are white space"),
        pytest.param(
            " \t\r\n\x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000", id="white space of all kinds"
        ),
        pytest.param("x" * 33, id="33 letters"),
        pytest.param("\U00020000" * 33, id="33 code points beyond 16 bits"),
        pytest.param("x" * 5000, id="5000 letters"),
        pytest.param("!" * 33, id="too long and of the wrong characters"),
        pytest.param(ARABIC_LIGATURE_OF_18 * 2, id="two code points that become 36"),
        pytest.param("\ufb01" * 17, id="17 ligatures that become 34"),
        pytest.param("\ufb01" * 16 + "a", id="17 code points that become 33"),
        pytest.param("a" + "\u0316" * 1000, id="1,000 stacked marks"),
        pytest.param("\u1112\u1112" * 17, id="34 Hangul letters that do not compose"),
    ],
)
def test_nickname_is_1_to_32_code_points(raw):
    with pytest.raises(ApiError, match=r"^invalid_nickname_length$") as refusal:
        parse_nickname(raw)

    assert refusal.value.status == 400


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("Ann\U0001f600", id="emoji"),
        pytest.param("\u2764\ufe0f", id="emoji with a variation selector"),
        pytest.param("\u263a", id="emoji in text form"),
        pytest.param("a\ufe00", id="letter with a variation selector"),
        pytest.param("a\U000e0041", id="tag character"),
        pytest.param("1\ufe0f\u20e3", id="keycap"),
        pytest.param("1\u20e3", id="keycap without its selector"),
        pytest.param("\U0001f1e9\U0001f1ea", id="flag"),
        pytest.param("<b>Ann</b>", id="markup"),
        pytest.param("&amp;", id="entity"),
        pytest.param("Ann'); --", id="SQL"),
        pytest.param("{{7*7}}", id="template"),
        pytest.param("O'Brien", id="apostrophe"),
        pytest.param('ann"', id="quote"),
        pytest.param("ann\\", id="backslash"),
        pytest.param("a,b", id="comma"),
        pytest.param("an\u3001n", id="ideographic comma"),
        pytest.param("ann+", id="plus"),
        pytest.param("ann\u2013", id="en dash"),
        pytest.param("@ann", id="at sign"),
        pytest.param("ann/lee", id="slash"),
        pytest.param("$SOL", id="currency sign"),
        pytest.param("\xbd", id="half, whose slash is none of ours"),
        pytest.param("Ann\u2014Lee", id="long dash"),
        pytest.param("Ann\nLee", id="newline within"),
        pytest.param("Ann\tLee", id="tab within"),
        pytest.param("Ann\u2028Lee", id="line separator within"),
        pytest.param("Ann\u1680Lee", id="Ogham space within"),
        pytest.param("\0", id="NUL"),
        pytest.param("Ann\0", id="NUL at the end"),
        pytest.param("Ann\x1b[31m", id="escape"),
        pytest.param("an\x07n", id="bell"),
        pytest.param("ann\U000e0fff", id="unassigned"),
        pytest.param("\ud800", id="lone high surrogate"),
        pytest.param("Ann\udc00", id="lone low surrogate"),
        pytest.param("Ann\ue000", id="private use"),
        pytest.param("Ann\uffff", id="no character"),
        pytest.param("An\u200bn", id="zero-width space"),
        pytest.param("An\u200cn", id="zero-width non-joiner"),
        pytest.param("An\u200dn", id="zero-width joiner"),
        pytest.param("\u2060", id="word joiner"),
        pytest.param("\ufeffAnn", id="byte order mark"),
        pytest.param("An\xadn", id="soft hyphen"),
        pytest.param("An\u034fn", id="grapheme joiner"),
        pytest.param("\u180e", id="Mongolian vowel separator"),
        pytest.param("\u202eAnn", id="right-to-left override"),
        pytest.param("Ann\u200f", id="right-to-left mark"),
        pytest.param("ann\u200e", id="left-to-right mark"),
        pytest.param("\u2066Ann\u2069", id="isolate"),
        pytest.param("\u0639\u061c", id="Arabic letter mark"),
        pytest.param("\u3164", id="Hangul filler"),
        pytest.param("\uffa0", id="halfwidth Hangul filler"),
        pytest.param("\u115f", id="Hangul choseong filler"),
        pytest.param("\u1160", id="Hangul jungseong filler"),
        pytest.param("Ann\u3164", id="Hangul filler after letters"),
        pytest.param("\u2800", id="Braille blank"),
        pytest.param("\U00013441", id="Egyptian full blank"),
        pytest.param("\U00013442", id="Egyptian half blank"),
        pytest.param("Ann\U00016fe4", id="Khitan filler"),
        pytest.param("\u1780\u17b4", id="Khmer vowel that shows nothing"),
        pytest.param("A\u0336n\u0336n\u0336", id="struck out"),
        pytest.param("A\u0310\u0311\u0312\u0313", id="stacked marks on a Latin letter"),
        pytest.param("Ann\u0489", id="millions sign around a letter"),
        pytest.param("\u0430\u20dd", id="circle around a letter"),
        pytest.param("\u0301", id="accent alone"),
        pytest.param("1\u0301", id="accent on a digit"),
        pytest.param("\xa8", id="diaeresis that becomes a space and a mark"),
        pytest.param("\xa8Ann", id="the same at the start"),
        pytest.param("\xa8" + "x" * 31, id="the same, not too long once trimmed again"),
        pytest.param(THAI_TONE, id="Thai mark alone"),
        pytest.param(f"{THAI_KO_KAI} {THAI_TONE}", id="Thai mark on a space"),
        pytest.param(f"1{THAI_TONE}", id="Thai mark on a digit"),
        pytest.param(THAI_KO_KAI + THAI_TONE * 5, id="five marks on one letter"),
        pytest.param(f"a{THAI_KO_KAI}{THAI_TONE * 20}b", id="twenty marks on one letter"),
    ],
)
def test_nickname_of_other_characters_is_refused(raw):
    with pytest.raises(ApiError, match=r"^invalid_nickname_chars$") as refusal:
        parse_nickname(raw)

    assert refusal.value.status == 400


def check_outcome(raw):
    try:
        nickname = parse_nickname(raw)
    except ApiError as refusal:
        if refusal.code not in {"invalid_nickname_length", "invalid_nickname_chars"}:
            raise
        return
    assert 1 <= len(nickname) <= 32
    assert parse_nickname(nickname) == nickname
    assert nickname == nickname.strip()
    for character in nickname:
        # "Cn": a letter that is younger than this Python's tables.
        allowed = unicodedata.category(character)[0] in "LMN" or character in " ._-"
        assert allowed or unicodedata.category(character) == "Cn"
    nickname.encode()


@given(st.text(st.characters()))
def test_any_text_gives_a_nickname_or_one_of_two_codes(raw):
    check_outcome(raw)


NAMELIKE = st.characters(categories=["L", "M", "N", "Zs"]) | st.sampled_from(" ._-\xa8\ufdfa\u3164")


@given(st.text(NAMELIKE, max_size=12))
def test_any_text_like_a_name_gives_a_nickname_or_one_of_two_codes(raw):
    check_outcome(raw)


@given(st.text("abXY19 ._-\xe9\u0639\u0e01\u7530", min_size=1, max_size=32))
def test_letters_digits_and_the_allowed_punctuation_always_make_a_nickname(raw):
    if raw.strip():
        assert parse_nickname(f" {raw}\n") == raw.strip()
