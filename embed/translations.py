"""Gettext catalogs: the languages of what visitors see and of what owners are sent."""

import io
from functools import cache

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from embed.settings import PROJECT_DIR

CATALOG_DIR = PROJECT_DIR / "translations"
SOURCE_LANGUAGE = "en"  # of the texts in the templates and in the code
# What each calls itself, by its code. Written out, as Babel takes 77 ms to read the names.
LANGUAGES = {
    SOURCE_LANGUAGE: "English",
    "ar": "العربية",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "pt": "Português",
    "ru": "Русский",
    "tr": "Türkçe",
    "zh": "中文",
}


@cache
def load_catalog(language: str) -> NullTranslations:
    """Compile a catalog in memory, so that no compiled files are needed."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    with (CATALOG_DIR / f"{language}.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return Translations(fp=compiled)
