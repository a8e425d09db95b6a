"""Gettext catalogs, one for each language."""

import io
from functools import cache

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from embed.domain.languages import SOURCE_LANGUAGE
from embed.settings import PROJECT_DIR

CATALOG_DIR = PROJECT_DIR / "translations"


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
