"""What site owners paste into their sites, and what oEmbed hands out: code that shows a list."""

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
    element: str  # both, as <tracked-wallets>


@dataclass(frozen=True, slots=True)
class LinkSnippets:
    """Of a page that is public by link."""

    address: str
    count: str
    badge_html: str
    badge_markdown: str


def name_list(page: Page) -> str:
    return page.public_title or f"{page.token_name} wallets"


def build_snippets(page: Page, key: str, *, height: int, lang: str) -> Snippets:
    """Return what to paste; without a `lang`, the visitor's browser decides on the language."""
    origin = own_origin()
    address = f"{origin}{build_path(page, key, lang=lang)}"
    url, title = escape(address), escape(name_list(page))
    theme = page.look.theme
    script = f'<script src="{origin}/embed.js" async></script>'
    attributes = f'page="{page.id}" public-key="{key}"' + (f' lang="{lang}"' if lang else "")
    return Snippets(
        frame=build_frame(page, address, f'width="100%" height="{height}"', theme=theme),
        script=script,
        react=(
            "export function TrackedWallets() {\n"
            "  return (\n"
            "    <>\n"
            f'      <iframe src="{url}"\n'
            f'        title="{title}" width="100%" height="{height}"'
            f' style={{{{ border: 0, display: "block", colorScheme: "{COLOR_SCHEMES[theme]}" }}}}\n'
            '        referrerPolicy="strict-origin" />\n'
            f'      <script src="{origin}/embed.js" async />\n'
            "    </>\n"
            "  );\n"
            "}"
        ),
        element=(
            f"{script}\n"
            f"<tracked-wallets {attributes}\n"
            f'                 title="{title}" height="{height}"></tracked-wallets>'
        ),
    )


def build_frame(page: Page, address: str, size: str, *, theme: str, style: str = "") -> str:
    """Return a frame for a site, with the attributes `size` and more CSS in `style`."""
    return (
        f'<iframe src="{escape(address)}"\n'
        f'        title="{escape(name_list(page))}" {size}'
        f' style="border: 0; display: block; {style}color-scheme: {COLOR_SCHEMES[theme]}"\n'
        '        referrerpolicy="strict-origin"></iframe>'
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


def build_link_snippets(page: Page, *, lang: str) -> LinkSnippets:
    """Return what to paste of a page that is public by link."""
    address = build_link(page.id)
    badge = f"{address}/badge.svg" + (f"?lang={lang}" if lang else "")
    title = name_list(page)
    return LinkSnippets(
        address=address,
        count=f"{address}/count.json",
        badge_html=f'<a href="{address}"><img src="{badge}" alt="{escape(title)}" height="24"></a>',
        badge_markdown=f"[![{_escape_markdown(title)}]({badge})]({address})",
    )


def _escape_markdown(text: str) -> str:
    return "".join(f"\\{letter}" if letter in r"\[]*_`<>!&" else letter for letter in text)
