"""Languages: catalogs, complete for visitors, and the choice of the language."""

import html
import json
import re
from decimal import Decimal
from functools import cache

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po
from support.world import SITE, Visitor

from embed import translations
from embed.db.models import STATUSES
from embed.domain.policy import REJECT_REASON_BY_CODE
from embed.domain.reasons import CODES
from embed.errors import STATUS_BY_CODE
from embed.events.editing import editing
from embed.events.kinds import HoldingFacts
from embed.settings import PROJECT_DIR
from embed.translations import CATALOG_DIR, LANGUAGES, SOURCE_LANGUAGE
from embed.web.assets import STATIC_DIR, list_modules

TRANSLATED = [language for language in LANGUAGES if language != SOURCE_LANGUAGE]

# Widget, signing, public pages and messages; the dashboard may be English sentence by sentence.
FOR_VISITORS = (
    *("templates/widget/", "templates/front/", "embed/web/widget/"),
    *("embed/events/kinds.py", "embed/domain/reasons.py", "embed/notifications/digest.py"),
)

# Placeholders of scripts and templates, with the $ of a ticker; and characters that would break
# a page, since translations are formatted with % and are not escaped in HTML.
TOKEN = re.compile(r'\$?(?:%\(\w+\)s|\{\w+\})|[%{}<>&"]')

BY_HAND = {
    f"reason_{code}" for code in ("manual", *CODES)
}  # an owner's rejection, which answers no request
# For unknown codes words.js uses the sentence of "server"; our own pages do not get these.
WITHOUT_WORDS = {"invalid_action", "invalid_host", "bad_request", "method_not_allowed"} | {
    "secret_key_required",
    "wallet_not_found",
    "chain_disabled",
}
RENAMED_BY_API_JS = {"internal_error": "server"}

each_translation = pytest.mark.parametrize("language", TRANSLATED)


@cache
def list_extracted():
    """Return what pybabel extracts: files and sentences."""
    with (PROJECT_DIR / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    keywords = DEFAULT_KEYWORDS | dict.fromkeys(("lazy_gettext", "gettext_noop", "InvalidInput"))
    found = extract_from_dir(PROJECT_DIR, methods, options, keywords)
    return [(name, text) for name, _, text, *_ in found]


@cache
def read_catalog(language):
    with (CATALOG_DIR / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def texts_of(message_or_id):
    """Return the one text of a message, or those of its plurals."""
    text = getattr(message_or_id, "string", message_or_id)
    return [text] if isinstance(text, str) else list(text)


def open_sign(world, *, lang=None, wish=None):
    """Open the smallest page; `wish` is the browser's Accept-Language."""
    return world.client.get(
        "/embed/sign",
        query_string={} if lang is None else {"lang": lang},
        headers={} if wish is None else {"Accept-Language": wish},
    )


def open_widget(world, path="", **arguments):
    return world.client.get(
        f"/embed/tracking/{world.page_id}{path}",
        query_string={"key": world.public_key} | arguments,
    )


def open_flow(world, **arguments):
    return open_widget(world, "/flow", **arguments)


def language_of(answer):
    language, direction = re.search(r'<html lang="(\w+)" dir="(\w+)"', answer.text).groups()
    assert direction == ("rtl" if language == "ar" else "ltr")
    return language


def read_words(answer):
    return json.loads(re.search(r'<script [^>]*id="words">(.*?)</script>', answer.text, re.S)[1])


def read_said_names(paths=None):
    """Return the keys of sentences in scripts: say("…"), #try("…"), Problem(… ? "…" : "…"), …"""
    paths = paths or [*STATIC_DIR.glob("host/*.js"), *STATIC_DIR.glob("widget/*.js")]
    scripts = "\n".join(path.read_text() for path in sorted(paths))
    calls = re.findall(r"(?:\bsay|#try|\bProblem|#wait|showSentence)(\([^)]*)", scripts)
    either = re.findall(r'#showForSite\("(\w+)", "(\w+)"', scripts)
    said = {name for call in calls for name in re.findall(r'[(?:]\s*"(\w+)"', call)}
    return said.union(*either)


# Catalogs


def test_every_language_has_a_catalog_and_every_catalog_a_language():
    assert {path.name for path in CATALOG_DIR.iterdir()} == {f"{name}.po" for name in TRANSLATED}


def test_every_sentence_of_the_code_is_extracted():
    keywords = ("gettext", "ngettext", "lazy_gettext", "gettext_noop")
    every = extract_from_dir(
        PROJECT_DIR / "embed", keywords={name: DEFAULT_KEYWORDS.get(name) for name in keywords}
    )

    assert {text for _, _, text, *_ in every} <= {text for _, text in list_extracted()}


@each_translation
def test_catalog_has_all_that_visitors_read(language):
    whole = {
        message.id
        for message in read_catalog(language)
        if all(map(str.strip, texts_of(message))) and not message.fuzzy
    }
    source = {text for name, text in list_extracted() if name.startswith(FOR_VISITORS)}

    assert len(source) > 200
    assert source - whole == set()


def test_sentence_that_a_catalog_lacks_is_english_with_its_own_direction_and_plural(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(translations, "CATALOG_DIR", tmp_path)
    plural = 'msgid "%(num)s wallet"\nmsgid_plural "%(num)s wallets"\n'
    shown = {}
    for language in ("ar", "ru"):
        header, forms = Catalog(language).plural_forms, Catalog(language).num_plurals
        texts = [f'msgid ""\nmsgstr "Plural-Forms: {header}\\n"', 'msgid "Save"\nmsgstr ""']
        texts += [plural + "".join(f'msgstr[{form}] ""\n' for form in range(forms))]
        (tmp_path / f"{language}.po").write_text("\n\n".join(texts))
        words = translations.load_catalog.__wrapped__(language)
        shown[language] = [words.gettext("Save"), words.gettext("Unknown.")] + [
            words.ngettext("%(num)s wallet", "%(num)s wallets", count) for count in (0, 1, 2)
        ]

    english = ["Save", "Unknown.", "%(num)s wallets", "%(num)s wallet", "%(num)s wallets"]
    assert shown["ru"] == english
    assert shown["ar"] == [f"\u2066{text}\u2069" for text in english]


@each_translation
def test_translation_keeps_the_placeholders_and_adds_no_markup(language):
    other = [
        message.id
        for message in read_catalog(language)
        for text in texts_of(message)
        if message.id
        and text.strip()
        and sorted(TOKEN.findall(text)) != sorted(TOKEN.findall(texts_of(message.id)[-1]))
    ]

    assert other == []


# The choice


@pytest.mark.parametrize(
    ("lang", "wish", "language"),
    [
        ("pt-BR", None, "pt"),
        ("zh-Hans-CN", None, "zh"),
        ("DE", "ja", "de"),
        ("pl", None, "en"),
        ("pl", "fr-CA", "fr"),
        (None, "pl,de;q=0.5,fr;q=0.9", "fr"),
        (None, "de;q=0", "en"),
        (None, ";;q=,=;q=x", "en"),
        # Longer than a browser sends, so it isn't parsed.
        (None, "de," * 2_500, "en"),
    ],
)
def test_address_decides_then_the_browser_and_regions_mean_their_language(
    world, lang, wish, language
):
    assert language_of(open_sign(world, lang=lang, wish=wish)) == language


@pytest.mark.parametrize(
    "lang",
    ["../../../etc/passwd", "de\r\nSet-Cookie: a=b", '"><script>alert(1)</script>', "d" * 5000],
    ids=range(4),
)
def test_hostile_language_does_nothing(world, lang):
    asked, plain = open_widget(world, lang=lang), open_widget(world)

    assert asked.status_code == 200
    assert asked.text == plain.text
    assert set(asked.headers.keys()) == set(plain.headers.keys())
    refusal = world.client.get("/embed/nothing", query_string={"lang": lang})
    assert refusal.text == world.client.get("/embed/nothing").text


# Pages


GROUPED = {
    **dict.fromkeys(("en", "ar", "ja", "zh"), "1,234,567.89"),
    **dict.fromkeys(("de", "es", "pt", "tr"), "1.234.567,89"),
    "fr": "1\u202f234\u202f567,89",
    "ru": "1\xa0234\xa0567,89",
}


@pytest.mark.parametrize("language", LANGUAGES | GROUPED)
def test_every_page_is_in_the_language_of_its_address(world, language):
    world.configure(min_balance="1000.5")
    world.track(Visitor().address, balance="1234567.89")
    answer, flow = open_widget(world, lang=language), open_flow(world, lang=language)
    sign = open_sign(world, lang=language, wish="ja" if language != "ja" else "de")
    refusal = world.client.get("/embed/nothing", headers={"Accept-Language": language})

    assert {language_of(one) for one in (answer, sign, refusal)} == {language}
    assert "$USDC" in flow.text
    assert "%(" not in answer.text + flow.text
    assert f' title="{GROUPED[language]}">' in answer.text
    shown = (
        re.search("<title>(.*)</title>", sign.text)[1],
        re.search("<h1>(.*?)</h1>", refusal.text)[1],
    )
    english = ("Add your wallet", "There is nothing here.")
    translated = [
        one if language == "en" else read_catalog(language)[one].string for one in english
    ]
    assert list(map(html.unescape, shown)) == translated
    assert "\\u04" not in sign.text  # words for scripts aren't escaped: a third of the length


def test_details_of_a_wallet_show_all_digits(world):
    wallet = world.track(Visitor().address)
    world.observe(wallet.address, "12345678901234567890.12345650000000000001")
    details = open_widget(world, f"/wallets/{wallet.id}", lang="en")

    assert ">12,345,678,901,234,567,890.12345650000000000001</bdi>" in details.text


# Words


def test_scripts_say_only_what_has_words_and_all_words_are_said(world):
    statuses = {f"status_{status}" for status in STATUSES}
    reasons = {f"reason_{reason}" for reason in REJECT_REASON_BY_CODE.values()} | BY_HAND
    codes = {RENAMED_BY_API_JS.get(code, code) for code in STATUS_BY_CODE.keys() - WITHOUT_WORDS}

    for answer in (open_flow(world), open_sign(world)):
        words = read_words(answer).keys()
        assert read_said_names() - words == set()
        assert words == read_said_names() | statuses | reasons | codes


def test_page_has_the_words_of_its_scripts_and_the_flow_brings_the_others(world):
    page = open_widget(world)
    names = {*list_modules("widget/main.js", "widget/own.js"), "widget/row-details.js"}
    said = read_said_names(STATIC_DIR / name for name in names)
    words = read_words(page)

    assert len(said) >= 10
    assert said - words.keys() == set()
    assert words.items() < read_words(open_flow(world)).items()


def test_log_is_in_the_visitors_language_in_the_widget_and_in_english_in_the_api(world):
    visitor = Visitor()
    wallet = world.track(visitor.address)
    world.clock.forward(minutes=1)
    with editing(world.page_id, world.change("holding watch")) as edit:
        amounts = Decimal("0.5"), Decimal(2)
        edit.log("flag wallet", HoldingFacts(wallet.id, wallet.address, None, *amounts))
    german = {"Accept-Language": "de"}

    said = {
        path: world.client.post(
            f"{path}/wallet-records",
            json=world.sign_for_records(visitor, "show"),
            headers={"Authorization": f"Bearer {world.public_key}", "Origin": SITE} | german,
        ).json["activity"][0]["subject"]
        for path in ("/api/embed", "/embed/api")
    }

    assert said == {
        "/api/embed": f"{visitor.address}: holds 0.5, the minimum is 2",
        "/embed/api": f"{visitor.address}: besitzt 0.5, das Minimum ist 2",
    }


# Words


def test_owners_screens_name_no_command_of_the_operators():
    templates = sorted((PROJECT_DIR / "templates" / "dashboard").glob("*.html"))
    texts = [file.read_text() for file in templates]
    texts += [text for _, one in list_extracted() for text in texts_of(one)]

    assert [text for text in texts if re.search(r"\bflask [a-z]", text)] == []


def test_english_is_spelled_as_in_america():
    texts = [text for _, one in list_extracted() for text in texts_of(one)]
    for folder in ("docs", "templates"):
        files = (
            each for end in ("md", "html") for each in (PROJECT_DIR / folder).rglob(f"*.{end}")
        )
        texts += [re.sub("`.*?`", "", file.read_text(), flags=re.S) for file in sorted(files)]
    british = re.compile(
        r"\b(?:grey|colour|favourite|behaviour|centre|licen[cs]e[ds]|organis|recognis|normalis"
        r"|cancell(?:ed|ing)|catalogue|dialogue)\w*",
        re.IGNORECASE,
    )

    assert [found for text in texts for found in british.findall(text)] == []
