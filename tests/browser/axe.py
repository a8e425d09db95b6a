"""WCAG 2.2 AA and good practice, as far as axe-core can check them."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page

# All rules once; those that depend on colours or widths again in the other theme or width.
ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOR_RULES = ["color-contrast", "link-in-text-block"]
NARROW_RULES = ["target-size", "scrollable-region-focusable"]
NARROW_PX = 320
# axe-core takes the transparent background of a frame for white, whatever is behind it.
BACKGROUNDS = {"light": "#fbf8f2", "dark": "#14202a"}
_SCRIPT = Axe().axe_script
_PAINT = """([theme, color]) => {
  // Important, so that a theme that the site sends meanwhile changes nothing.
  document.documentElement.style.setProperty("color-scheme", theme, "important");
  document.documentElement.style.background = color;
}"""
# It takes the label of a heading's id for that of the field of the same id. Symbols are the same.
_FIND_TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]:not(symbol)")].map((one) => one.id);
  return ids.filter((one, place) => ids.indexOf(one) !== place);
}"""


def find_violations(
    where: str, page: Page, frame: Frame | None = None, *, lang: str = "en"
) -> list[str]:
    """Return what axe-core finds in a page or in its frame, a line each.

    In both themes, or in the light one in other languages, whose colours are the same; without
    transitions from one theme to the other.
    """
    target = frame or page.main_frame
    found = []
    for theme in ("dark", "light") if lang == "en" else ("light",):
        rules = ALL_RULES if theme == "light" else COLOR_RULES
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        target.evaluate(_PAINT, [theme, BACKGROUNDS[theme]])
        found += [f"{where}, {theme}: {line}" for line in run_axe(target, rules)]
    return found


def find_faults(where: str, page: Page) -> list[str]:
    """Return what axe-core finds in a page with a background of its own, and if it is too wide.

    In the light theme at the width it has, and in the dark theme on a narrow phone. Without
    motion, so that no colour is still on its way from one theme to the other.
    """
    size = page.viewport_size
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    found = [f"{where}, light: {line}" for line in run_axe(page, ALL_RULES)]
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": NARROW_PX, "height": size["height"]})
    found += [f"{where}, dark: {line}" for line in run_axe(page, COLOR_RULES + NARROW_RULES)]
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(size)
    return found + [f"{where} is {width} px wide"] * (width > NARROW_PX)


def run_axe(target: Page | Frame, rules: list[str]) -> list[str]:
    if not target.evaluate("'axe' in window"):
        target.evaluate(_SCRIPT)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found = target.evaluate("options => axe.run(document, options)", options)
    twice = target.evaluate(_FIND_TWICE)
    return [f"two elements have the id {one}" for one in twice] + [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
