"""What picture_page.py takes: each scene walks through some pages and takes each of them."""

from demo_in_browser import choose_password as follow_link
from demo_in_browser import open_site

ADDRESS = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
CSV = f"address,alias,tags\n{ADDRESS},Night heron,unknown\nnonsense,,\n"
# Steps are found by their marks, since their words depend on the language.
DASHBOARD_PATHS = {
    "queue": "queue",
    "wallets": "wallets",
    "a new wallet": "wallets/new",
    "import": "wallets/import",
    "tags": "wallets/tags",
    "install": "embed",
    "look": "embed/look",
    "activity": "activity",
    "settings": "settings",
    "general": "settings/general",
    "rules": "settings/rules",
    "notifications": "settings/notifications",
    "people": "settings/people",
    "keys": "settings/keys",
    "a new public key": "settings/keys/new/public",
    "a new secret key": "settings/keys/new/secret",
    "danger zone": "settings/danger",
}


# The widget


def press(button) -> None:
    """Press a button wherever it is: the frame around it may be growing."""
    button.wait_for()
    button.dispatch_event("click")


def take_list(camera, demo) -> None:
    widget = open_site(camera.page, demo)
    camera.take("list in a site")
    widget.get_by_role("searchbox").fill("Fair Wind")
    widget.locator(".wallet:has(.proved:not([hidden])) > details > summary").first.click()
    widget.locator(".proof summary").click()
    camera.take("details of a wallet")
    camera.page.goto(demo["widgetUrl"])
    camera.page.locator("#widget[data-ready]").wait_for()
    camera.take("list in its own tab")


def take_steps(camera, demo) -> None:
    widget = open_site(camera.page, demo)
    press(widget.locator("#add"))
    widget.locator("[data-wallets] button").wait_for()
    camera.take("wallets")
    press(widget.locator("[data-wallets] button"))
    widget.locator("[name=nickname]").fill("<Night heron>")
    camera.take("name, with a problem")
    send(widget)
    camera.take("text to sign")
    press(widget.locator("[data-do=sign]"))
    widget.locator("#own-list > li").wait_for()
    camera.take("sent")
    press(widget.locator(".flow-head [data-do=close]"))
    press(widget.locator("#add"))
    press(widget.locator("[data-wallets] button"))
    widget.locator("[data-sentence]").wait_for()
    camera.take("sent again, refused")
    camera.page.reload()
    widget.locator("#own-list > li").first.wait_for()
    camera.take("back later")


def send(widget) -> None:
    """Give a name, and wait for the text to sign."""
    widget.locator("[name=nickname]").fill("Night heron")
    press(widget.locator("[data-step=nickname] .primary"))
    widget.locator("[data-do=sign]").wait_for()


def take_signing_by_hand(camera, demo) -> None:
    widget = open_site(camera.page, demo)
    press(widget.locator("#add"))
    widget.locator("[data-step=choose] summary").last.click()
    widget.locator("[name=address]").fill(ADDRESS)
    camera.take("address by hand")
    press(widget.locator("[data-do=enter-address]"))
    widget.locator("[name=nickname]").fill("Night heron")
    press(widget.locator("[data-step=nickname] .primary"))
    widget.locator("[data-show=message]").wait_for()
    camera.take("signing by hand")


def take_records(camera, demo) -> None:
    widget = open_site(camera.page, demo)
    press(widget.locator("#rights"))
    press(widget.locator("[data-wallets] button"))
    press(widget.locator("[data-do=sign]"))
    widget.locator("[data-step=records]").wait_for()
    camera.take("records of a wallet")


def take_blocked_cookie(camera, demo) -> None:
    refuse = 'Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} })'
    camera.page.add_init_script(refuse)
    widget = open_site(camera.page, demo)
    widget.locator("#cookie-blocked").wait_for()
    camera.take("cookie blocked")


def take_window(camera, demo) -> None:
    widget = open_site(camera.page, demo)
    press(widget.locator("#add"))
    with camera.page.expect_popup() as popup:
        widget.locator("[data-do=open-window]").first.click()
    window = popup.value
    window.locator("[data-wallets] button").wait_for()
    camera.take("signing window", window)
    camera.take("site beside the window")
    window.close()
    widget.locator("[data-sentence]").wait_for()
    camera.take("window closed")


def take_refusals(camera, demo) -> None:
    page = demo["widgetUrl"].partition("?")[0]
    for name, url in (
        ("refusal", f"{page}?key=nonsense"),
        ("nothing there", f"{page}/nothing"),
        ("checker of receipts", f"{page.partition('/embed/')[0]}/embed/check-receipts"),
    ):
        camera.page.goto(url)
        camera.take(name)


# The dashboard


def choose_password(camera, demo) -> None:
    camera.page.goto(demo["dashboardUrl"])
    camera.take("dashboard: choose a password")
    follow_link(camera.page)


def take_front(camera, demo) -> None:
    base = demo["widgetUrl"].partition("/embed/")[0]
    camera.page.goto(f"{base}/")
    camera.take("front page")
    for name, path in (("pages", ""), ("account", "account"), ("a new page", "pages/new")):
        camera.page.goto(f"{base}/dashboard/{path}")
        camera.take(f"dashboard: {name}")
    camera.page.goto(f"{base}/dashboard/nothing")
    camera.take("dashboard: nothing there")
    camera.page.context.clear_cookies()
    camera.page.goto(f"{base}/dashboard/sign-in")
    camera.take("dashboard: sign in")


def take_tabs(camera, demo) -> None:
    base = find_page(demo)
    for name, path in DASHBOARD_PATHS.items():
        camera.page.goto(f"{base}/{path}")
        camera.take(f"dashboard: {name}")


def take_forms(camera, demo) -> None:
    """Take the answers to some forms; nothing but a key and the page's link is made."""
    page, base = camera.page, find_page(demo)
    page.goto(f"{base}/wallets/import")
    file = {"name": "wallets.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.locator("form:has(input[type=file]) button.primary").click()
    camera.take("dashboard: what an import would change")
    page.goto(f"{base}/settings/rules")
    page.locator("#min_balance").fill("1e9")
    page.locator("#preview .lines").first.wait_for()
    camera.take("dashboard: preview of a policy")
    page.goto(f"{base}/wallets")
    page.locator("main a[href*='/wallets/']").last.click()
    camera.take("dashboard: a wallet")
    page.goto(f"{base}/wallets/suggestions")
    page.locator("main form button").click()
    page.locator("[name=address]").first.wait_for()
    camera.take("dashboard: suggested wallets")
    page.goto(f"{base}/settings/keys/new/public")
    page.locator("[name=origins]").fill("https://www.example.com")
    page.locator("form:has([name=origins]) button.primary").click()
    page.get_by_text("svc_pub_").first.wait_for()
    camera.take("dashboard: a key was made")
    page.goto(f"{base}/embed/share")
    if page.locator("[name=shared]").count():  # its link stays on from the first time on
        page.locator("[name=shared]").click()
    link = page.locator("#link").text_content()
    camera.take("dashboard: share link")
    page.goto(link)
    page.frame_locator("iframe").locator("#widget[data-ready]").wait_for()
    camera.take("list at its link")


def find_page(demo) -> str:
    return f"{demo['widgetUrl'].partition('/embed/')[0]}/dashboard/pages/{demo['id']}"


WIDGET = (
    take_list,
    take_steps,
    take_signing_by_hand,
    take_records,
    take_blocked_cookie,
    take_window,
    take_refusals,
)
DASHBOARD = (take_front, take_tabs, take_forms)
