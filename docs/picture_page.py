"""Picture every page of the demo: ``python docs/picture_page.py FOLDER``, then open its index.html.

At three widths, light and dark; the widget in Arabic, too. Needs requirements-dev.txt and a
Chromium (CHROMIUM names one that is not on the PATH).
"""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import picture_scenes
from demo_in_browser import run_demo, start_browser
from playwright.sync_api import Browser, BrowserContext, Page

# By device, since pages also ask whether there is a touch screen.
WIDTHS = {"desktop": (1280,), "phone": (375, 320)}
DEVICES = {"desktop": {}, "phone": {"is_mobile": True, "has_touch": True, "device_scale_factor": 1}}
THEMES = ("light", "dark")
LANGUAGES = ("en", "ar")
HEIGHT, MAX_HEIGHT = 800, 6000
# The frame sends its height to the page around it, which then changes it.
_SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures</title>'
_SWITCH_THEME = "theme => { document.documentElement.dataset.theme = theme }"
_STYLE = """
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { margin: 1rem; }
  section > div { display: flex; gap: .5rem; overflow-x: auto; }
  figure { flex: none; margin: 0; }
  figure > a { display: block; max-height: 28rem; overflow-y: auto; border: 1px solid gray; }
  img { display: block; width: 11rem; }
  .desktop { width: 30rem; }
  figcaption { font-size: .8125rem; }
"""


@dataclass
class Album:
    """A folder of pictures, by the names of what they show."""

    folder: Path
    pictures: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def place(self, name: str, caption: str) -> Path:
        """Return where to save a picture."""
        file = re.sub(r"\W+", "-", f"{name} {caption}") + ".png"
        self.pictures.setdefault(name, []).append((caption, file))
        return self.folder / file

    def write_index(self) -> None:
        sections = [
            f"<section><h2>{escape(name)}</h2><div>{''.join(map(_show, pictures))}</div></section>"
            for name, pictures in self.pictures.items()
        ]
        html = "\n".join((_HEAD, f"<style>{_STYLE}</style>", "<h1>Pictures</h1>", *sections))
        (self.folder / "index.html").write_text(html, encoding="utf-8")


@dataclass
class Camera:
    """Takes what a page shows at each width of a device, in each theme."""

    album: Album
    page: Page
    widths: tuple[int, ...]
    language: str

    def take(self, name: str, page: Page | None = None) -> None:
        """Take the page, or another one that it opened."""
        page = page or self.page
        for width in self.widths:
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                if page.locator("#theme, html[data-theme]").count():  # which do not ask the browser
                    page.evaluate(_SWITCH_THEME, theme)
                show_whole(page, width)
                place = self.album.place(name, f"{width}, {theme}, {self.language}")
                page.screenshot(path=place, animations="disabled")


def show_whole(page: Page, width: int) -> None:
    """Make the window as high as the page, since browsers leave out what is in frames below it."""
    height = HEIGHT
    for _ in range(4):  # what comes into view may be higher than was guessed
        page.set_viewport_size({"width": width, "height": height})
        for frame in page.frames * 2:  # a frame draws what its page has brought into view
            frame.evaluate(_SETTLED)
        needed = min(page.evaluate("document.documentElement.scrollHeight"), MAX_HEIGHT)
        if needed <= height:
            return
        height = needed


def take_all(folder: Path) -> None:
    """Take all pictures into the folder, with an index.html that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    album = Album(folder)
    with run_demo() as demo, start_browser() as browser:

        def walk(scene: Callable[..., None], language: str, device: str, **options: object):
            context = open_context(browser, device, language, **options)
            scene(Camera(album, context.new_page(), WIDTHS[device], language), demo)
            return context

        for scene in picture_scenes.WIDGET:
            for language in LANGUAGES:
                for device in WIDTHS:
                    walk(scene, language, device).close()
        owner = walk(picture_scenes.choose_password, "en", "desktop")
        for scene in picture_scenes.DASHBOARD:
            for device in WIDTHS:
                walk(scene, "en", device, storage_state=owner.storage_state()).close()
    album.write_index()
    print(f"{folder / 'index.html'}: {sum(map(len, album.pictures.values()))} pictures")


def open_context(browser: Browser, device: str, language: str, **options) -> BrowserContext:
    size = {"width": WIDTHS[device][0], "height": HEIGHT}
    locale = {"en": "en-US"}.get(language, language)
    return browser.new_context(
        viewport=size, locale=locale, timezone_id="UTC", **DEVICES[device], **options
    )


def _show(picture: tuple[str, str]) -> str:
    caption, file = picture
    look = ' class="desktop"' if caption.startswith(f"{WIDTHS['desktop'][0]},") else ""
    return (
        f'<figure><a href="{file}"><img{look} loading="lazy" alt="" src="{file}"></a>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    take_all(parser.parse_args().folder)
