"""Take the pictures of the README and docs from the running demo: ``python docs/take_pictures.py``.

Needs requirements-dev.txt and a Chromium (CHROMIUM names one that is not on the PATH).
"""

from demo_in_browser import PROJECT_DIR, choose_password, open_site, run_demo, start_browser
from playwright.sync_api import Browser, FrameLocator, Locator, Page

PICTURES = PROJECT_DIR / "docs" / "pictures"
DASHBOARD = {"width": 1280, "height": 800}
PORTS = 8000, 8001  # the demo's own, since pictures show them


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with run_demo(PORTS) as demo, start_browser() as browser:
        take_list(browser, demo)
        visitor = take_steps(browser, demo)
        take_dashboard(browser, demo)  # which approves the visitor
        take_proof(visitor)
        take_rights(visitor)


def open_page(browser: Browser, demo: dict[str, str], size: dict[str, int]) -> Page:
    page = browser.new_page(viewport=size, locale="en-US")
    open_site(page, demo)
    return page


def widget_of(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def take_list(browser: Browser, demo: dict[str, str]) -> None:
    page = open_page(browser, demo, {"width": 760, "height": 900})
    page.mouse.move(0, 0)
    widget_of(page).locator(".change").first.wait_for()  # of a balance
    save(page, "widget-light")


def take_steps(browser: Browser, demo: dict[str, str]) -> Page:
    page = open_page(browser, demo, {"width": 620, "height": 900})
    widget = widget_of(page)
    flow = widget.locator("#flow")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Demo wallet").click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_role("button", name="Sign with").wait_for()
    save(flow, "step-sign")
    widget.get_by_role("button", name="Sign with").click()
    widget.get_by_text("waiting for review").wait_for()
    return page


def take_proof(visitor: Page) -> None:
    """Take the row of the approved visitor, with its proof."""
    widget_of(visitor).get_by_role("searchbox").fill("Night heron")
    row = widget_of(visitor).locator(".wallet", has_text="Night heron")
    row.locator("summary").first.click()
    row.get_by_text("What was signed").click()
    row.get_by_text("Signing is free.").wait_for()
    save(row, "proof")


def take_rights(visitor: Page) -> None:
    """Take what the page keeps of the visitor's wallet, and the text that withdraws it."""
    widget = widget_of(visitor)
    flow = widget.locator("#flow")
    widget.get_by_role("button", name="See or delete your data").click()
    widget.get_by_role("button", name="Demo wallet").click()
    widget.get_by_role("button", name="Sign with").click()
    widget.get_by_role("button", name="Withdraw", exact=True).wait_for()
    save(flow, "rights-records")
    widget.get_by_role("button", name="Withdraw", exact=True).click()
    widget.locator("[data-show=message]", has_text="to withdraw it from a page").wait_for()
    save(flow, "rights-withdraw")


def take_dashboard(browser: Browser, demo: dict[str, str]) -> None:
    page = browser.new_page(viewport=DASHBOARD, locale="en-US", timezone_id="UTC")
    page.goto(demo["dashboardUrl"])
    choose_password(page)
    page.locator(".pages th a").first.click()
    page.get_by_role("link", name="Look through").click()
    page.get_by_role("button", name="Approve Night heron").click()
    page.get_by_role("button", name="Undo").wait_for()
    page.mouse.move(0, 0)  # the row leaves once the pointer isn't on it
    page.locator(".queue li", has_text="Night heron").wait_for(state="detached")
    save(page, "dashboard-queue")
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Notifications", exact=True).click()
    page.get_by_role("heading", name="Where messages go").wait_for()
    save(page, "dashboard-notifications")
    page.get_by_role("link", name="Wallets", exact=True).click()
    page.get_by_role("heading", name="Wallets").wait_for()
    save(page, "dashboard-wallets")
    take_deny_list(page)


def take_deny_list(page: Page) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Rules", exact=True).click()
    for pattern, where in (("*admin*", "on this page"), ("192.0.2.0/24", "on all my pages")):
        page.get_by_label("Address, *name* or network").fill(pattern)
        page.get_by_label("Where").select_option(where)
        page.get_by_role("button", name="Block", exact=True).click()
        page.locator(".lines", has_text=pattern).wait_for()
    save(page.locator("#deny-list"), "dashboard-deny-list")


def save(what: Page | Locator, name: str) -> None:
    path = PICTURES / f"{name}.png"
    what.screenshot(path=path, animations="disabled")
    print(f"{path.relative_to(PROJECT_DIR)}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
