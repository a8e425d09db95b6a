"""The code that site owners paste into their sites to show a list."""

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from embed.db.models import Page
from embed.domain.look import FIELDS
from embed.web.current import own_origin

HEIGHTS = {"list": 600, "strip": 72}  # pixels, by size
# The arguments of a list's address, besides the key.
ARGUMENTS = (*FIELDS, "lang")
# By theme. If a frame's color scheme differs from its document's, browsers add a background.
COLOR_SCHEMES = {"site": "light", "light": "light", "dark": "dark", "auto": "light dark"}

# React 18 inserts the tag of a component without running it.
_EFFECT = """\
  useEffect(() => {
    const script = document.createElement("script");
    script.src = "%s/embed.js";
    document.head.append(script);
    return () => script.remove();
  }, []);
"""


def name_list(page: Page) -> str:
    return page.public_title or f"{page.token_name} wallets"


def build_snippet(
    page: Page,
    key: str,
    *,
    kind: str = "html",
    size: str = "list",
    has_script: bool = True,
    height: int | None = None,
    lang: str = "",
) -> str:
    """Return the code to paste, as HTML or a React component.

    `has_script`: with the line that adapts the frame to its content and the site's theme. `height`:
    of a list, in pixels. Without a `lang`, the visitor's browser decides on the language.
    """
    origin = own_origin()
    given = {"lang": lang} | ({"size": size} if size == "strip" else {})
    url = escape(f"{origin}{build_path(page, key, **given)}")
    height = (size == "list" and height) or HEIGHTS[size]
    title, scheme = escape(name_list(page)), COLOR_SCHEMES[page.look.theme]
    if kind == "react":
        start = "export function TrackedWallets() {\n"
        if has_script:
            start = f'import {{ useEffect }} from "react";\n\n{start}{_EFFECT % origin}'
        return (
            f"{start}  return (\n"
            f'    <iframe\n      src="{url}"\n'
            f'      title="{title}" width="100%" height="{height}"\n'
            f'      style={{{{ border: 0, display: "block", colorScheme: "{scheme}" }}}}\n'
            '      referrerPolicy="strict-origin" />\n'
            "  );\n"
            "}"
        )
    script = f'\n<script src="{origin}/embed.js" async></script>' if has_script else ""
    return (
        f'<iframe\n  src="{url}"\n'
        f'  title="{title}" width="100%" height="{height}"\n'
        f'  style="border: 0; display: block; color-scheme: {scheme}"\n'
        f'  referrerpolicy="strict-origin"></iframe>{script}'
    )


def build_path(page: Page, key: str, **arguments: str) -> str:
    """Return the widget's address on this service."""
    given = {name: value for name, value in arguments.items() if value or name == "hide"}
    return add_arguments(f"/embed/tracking/{page.id}", {"key": key} | given)


def add_arguments(address: str, arguments: Mapping[str, str]) -> str:
    """Return an address with `arguments` in its query string."""
    return f"{address}?{urlencode(arguments, safe=',')}" if arguments else address


def build_link(page_id: str) -> str:
    """Return a page's share link."""
    return f"{own_origin()}/embed/page/{page_id}"
