"""The languages for visitors and owners, and their gettext catalogs.

Sentences that a catalog doesn't have stay in English.
"""

import io
from functools import cache

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations

from embed.settings import PROJECT_DIR

SOURCE_LANGUAGE = "en"  # of the texts in the templates and in the code
# Each language's own name, by its code. Written out, since Babel takes 77 ms to read the names.
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
CATALOG_DIR = PROJECT_DIR / "translations"


@cache
def load_catalog(language: str) -> NullTranslations:
    """Compile a catalog in memory, so no compiled files are needed."""
    if language == SOURCE_LANGUAGE:
        return NullTranslations()
    with (CATALOG_DIR / f"{language}.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    for message in list(catalog):
        # write_mo() would fill in empty forms, which would give Arabic "1 wallets".
        if message.pluralizable and not all(message.string or ()):
            catalog.delete(message.id)
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    translations = Translations(fp=compiled)
    if Locale.parse(language).text_direction == "rtl":
        translations.add_fallback(_LeftToRight())
    return translations


class _LeftToRight(NullTranslations):
    """English on a right-to-left page: marks the direction, so a period stays at the end."""

    def gettext(self, message: str) -> str:
        return f"\u2066{message}\u2069"

    def ngettext(self, singular: str, plural: str, num: int) -> str:
        return self.gettext(singular if num == 1 else plural)
