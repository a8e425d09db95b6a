"""The code that owners paste into their sites."""

from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from embed.db.models import Page
from embed.web.current import own_origin

DEFAULT_HEIGHT = 600  # pixels
# By theme. Behind a frame of another color scheme than its document's, browsers put a background.
COLOR_SCHEMES = {"light": "light", "dark": "dark", "auto": "light dark"}


@dataclass(frozen=True, slots=True)
class Snippets:
    frame: str
    script: str  # adapts the frame's height to its content
    react: str  # both, as a component


def build_snippets(page: Page, key: str, *, height: int = DEFAULT_HEIGHT, **look: str) -> Snippets:
    """Return what to paste; `look` are the widget's query arguments."""
    origin = own_origin()
    url = escape(f"{origin}{build_path(page, key, **look)}")
    scheme = COLOR_SCHEMES[look.get("theme", "light")]
    title = escape(page.public_title or f"{page.token_name} wallets")
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


def build_path(page: Page, key: str, **look: str) -> str:
    """Return the widget's address on this service."""
    return f"/embed/tracking/{page.id}?{urlencode({'key': key} | look, safe=',')}"
