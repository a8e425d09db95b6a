"""The languages of pages: gettext catalogs, chosen by owner, ``?lang=`` or Accept-Language."""

from decimal import Decimal, localcontext
from functools import cache, lru_cache
from typing import Any, cast

from babel import Locale
from babel.numbers import NumberPattern
from babel.support import NullTranslations
from flask import Flask, g, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header
from werkzeug.local import LocalProxy

from embed.domain import amounts
from embed.domain.reasons import write_sentences
from embed.domain.texts import drop_dollar_signs, isolate
from embed.translations import LANGUAGES, SOURCE_LANGUAGE, load_catalog

# Browsers send fewer than 200 characters; parsing 8 KB takes longer than most requests.
_MAX_HEADER_LENGTH = 1000


def init_languages(app: Flask) -> None:
    app.jinja_env.globals |= {"_": _gettext_as_html, "ngettext": _ngettext_as_html}
    # For JSON in templates: a Cyrillic letter takes six bytes if escaped, else two.
    app.jinja_env.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    app.jinja_env.globals["locale"] = current_locale
    app.jinja_env.globals["write_reasons"] = lambda: write_sentences(gettext)
    app.jinja_env.filters["number"] = format_number
    app.jinja_env.filters["exact_amount"] = amounts.format_amount
    # Templates put a dollar sign in front; pages from older versions may have stored one.
    app.jinja_env.filters["ticker"] = drop_dollar_signs
    app.jinja_env.filters["isolate"] = isolate


def current_language() -> str:
    """Return the language of this request's page, one of LANGUAGES."""
    language: str | None = g.get("language")
    if language is None:
        language = g.language = find_named_language() or _match_browser_language()
    return language


def find_named_language() -> str | None:
    """Return the language that ``?lang=`` names, or None if it isn't one of LANGUAGES."""
    named = request.args.get("lang", "").lower().replace("_", "-").partition("-")[0]
    return named if named in LANGUAGES else None


def choose_language(stored: str | None) -> None:
    """Use the stored language for this request's page, else the browser's."""
    g.language = stored if stored in LANGUAGES else _match_browser_language()


def choose_named_language() -> str:
    """Use the language that the address names, for shared caches: most of them ignore Vary."""
    g.language = find_named_language() or SOURCE_LANGUAGE
    return current_language()


def _match_browser_language() -> str:
    """Match Accept-Language by language only: de-AT counts as de."""
    header = request.headers.get("Accept-Language", "")
    if len(header) > _MAX_HEADER_LENGTH:
        return SOURCE_LANGUAGE
    accepted = LanguageAccept(
        (tag.partition("-")[0], quality)
        for tag, quality in parse_accept_header(header, LanguageAccept)
    )
    return str(accepted.best_match(LANGUAGES, SOURCE_LANGUAGE))


def current_locale() -> Locale:
    return _parse_locale(current_language())


_parse_locale = cache(Locale.parse)


def format_amount(amount: Decimal, pattern: NumberPattern) -> str:
    return _format_amount(amount, pattern, current_language())


@lru_cache(maxsize=10_000)  # saves a fifth of the time for a list of wallets; some 3 MB
def _format_amount(amount: Decimal, pattern: NumberPattern, language: str) -> str:
    # With the default of 28 digits, Babel would round twice.
    with localcontext(prec=amounts.PRECISION):
        formatted: str = pattern.apply(amount, _parse_locale(language))
    return formatted


def format_number(number: int) -> str:
    return format_amount(Decimal(number), current_locale().decimal_formats[None])


def gettext(text: str, **values: Any) -> str:
    """Return a text in the language of this request's page, with `values` filled in."""
    translated = str(_translations().gettext(text))
    return translated % values if values else translated


def ngettext(one: str, many: str, number: int, **values: Any) -> str:
    """Like gettext, in the language's form for `number`."""
    translated = str(_translations().ngettext(one, many, number))
    return translated % values if values else translated


# Jinja's own functions for templates take three times as long; a screen calls them 1,000 times.


def _gettext_as_html(text: str, /, **values: Any) -> Markup:
    """Like gettext, for templates: `values` are escaped."""
    translated = _find_html(current_language(), text)
    return translated % values if values else translated


@lru_cache(maxsize=10_000)
def _find_html(language: str, text: str) -> Markup:
    return Markup(load_catalog(language).gettext(text))  # noqa: S704 -- a catalog of ours


def _ngettext_as_html(one: str, many: str, number: int, /, **values: Any) -> Markup:
    return Markup(ngettext(one, many, number)) % values  # noqa: S704 -- likewise


def lazy_gettext(text: str, **values: Any) -> str:
    """Like gettext, but translate when the text is used: for texts defined outside of requests."""
    return cast(str, LocalProxy(lambda: gettext(text, **values)))


def _translations() -> NullTranslations:
    return load_catalog(current_language())
