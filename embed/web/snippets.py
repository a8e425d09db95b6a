"""What site owners paste into their sites: code that shows a list."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from embed.db.models import Page
from embed.domain.look import FIELDS
from embed.web.current import own_origin

DEFAULT_HEIGHT = 600  # pixels
# What the address of a list may ask for, beside the key.
ARGUMENTS = (*FIELDS, "lang")
# By theme. Behind a frame of another color scheme than its document's, browsers put a background.
COLOR_SCHEMES = {"site": "light", "light": "light", "dark": "dark", "auto": "light dark"}


@dataclass(frozen=True, slots=True)
class Snippets:
    frame: str
    script: str  # adapts the frame's height to its content
    react: str  # both, as a component


def name_list(page: Page) -> str:
    return page.public_title or f"{page.token_name} wallets"


def build_snippets(page: Page, key: str, *, height: int, lang: str) -> Snippets:
    """Return what to paste; without a `lang`, the visitor's browser decides on the language."""
    origin = own_origin()
    address = f"{origin}{build_path(page, key, lang=lang)}"
    url, title = escape(address), escape(name_list(page))
    scheme = COLOR_SCHEMES[page.look.theme]
    return Snippets(
        frame=(
            f'<iframe src="{url}"\n'
            f'        title="{title}" width="100%" height="{height}"'
            f' style="border: 0; display: block; color-scheme: {scheme}"\n'
            '        referrerpolicy="strict-origin"></iframe>'
        ),
        script=f'<script src="{origin}/embed.js" async></script>',
        react=(
            "export function TrackedWallets() {\n"
            "  return (\n"
            "    <>\n"
            f'      <iframe src="{url}"\n'
            f'        title="{title}" width="100%" height="{height}"'
            f' style={{{{ border: 0, display: "block", colorScheme: "{scheme}" }}}}\n'
            '        referrerPolicy="strict-origin" />\n'
            f'      <script src="{origin}/embed.js" async />\n'
            "    </>\n"
            "  );\n"
            "}"
        ),
    )


def build_path(page: Page, key: str, **arguments: str) -> str:
    """Return the widget's address on this service."""
    given = {name: value for name, value in arguments.items() if value or name == "hide"}
    return add_arguments(f"/embed/tracking/{page.id}", {"key": key} | given)


def add_arguments(address: str, arguments: Mapping[str, str]) -> str:
    """Return an address with what it asks for."""
    return f"{address}?{urlencode(arguments, safe=',')}" if arguments else address


def build_link(page_id: str) -> str:
    """Return the address at which a page is public by link."""
    return f"{own_origin()}/embed/page/{page_id}"
