"""WCAG 2.2 AA and good practice, as far as axe-core can check them."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page

# All rules once, and in the other theme those that depend on colours.
ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOR_RULES = ["color-contrast", "link-in-text-block"]
# axe-core takes the transparent background of a frame for white, whatever is behind it.
BACKGROUNDS = {"light": "#fbf8f2", "dark": "#14202a"}
_SCRIPT = Axe().axe_script
_PAINT = """([theme, color]) => {
  // Important, so that a theme that the site sends meanwhile changes nothing.
  document.documentElement.style.setProperty("color-scheme", theme, "important");
  document.documentElement.style.background = color;
}"""


def find_violations(where: str, page: Page, frame: Frame | None = None) -> list[str]:
    """Return what axe-core finds in a page or in its frame, in both themes, a line each."""
    target = frame or page.main_frame
    found = []
    for theme, rules in (("dark", COLOR_RULES), ("light", ALL_RULES)):
        page.emulate_media(color_scheme=theme)
        target.evaluate(_PAINT, [theme, BACKGROUNDS[theme]])
        found += [f"{where}, {theme}: {line}" for line in run_axe(target, rules)]
    return found


def run_axe(target: Page | Frame, rules: list[str]) -> list[str]:
    if not target.evaluate("'axe' in window"):
        target.evaluate(_SCRIPT)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found = target.evaluate("options => axe.run(document, options)", options)
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
