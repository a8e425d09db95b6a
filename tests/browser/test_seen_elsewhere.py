"""Real pages of other sites that show a list: by the element, by oEmbed, and by the badge."""

import json

import pytest
from embedded_page import frame_of, sign_in, submit
from playwright.sync_api import expect

from embed.keys import derived

pytestmark = pytest.mark.browser

PAGE = '<!doctype html><meta charset="utf-8"><title>A site</title><link rel="icon" href="data:,">{}'
CLASSIC = '<script src="{0}/embed.js"></script>'
DEFERRED = '<script src="{0}/embed.js" defer></script>'
MODULE = '<script type="module" src="{0}/embed.js"></script>'
ATTRIBUTES = (
    "[...document.querySelector('iframe').attributes].map(({name, value}) => [name, value])"
)
EMBED = """async (link) => {
  const {origin} = new URL(link);
  const answer = await fetch(`${origin}/oembed?url=${encodeURIComponent(link)}&maxwidth=500`);
  const {html} = await answer.json();
  document.body.innerHTML = html;
}"""


@pytest.fixture
def open_site(embedded_page, page):
    def open_site(body: str, **headers: str) -> None:
        page.goto(embedded_page.host.show(PAGE.format(body), **headers))

    return open_site


@pytest.fixture
def element(embedded_page) -> str:
    embedded_page.track_many(3)
    page_id, key = embedded_page.page_id, embedded_page.key
    return f'<tracked-wallets page="{page_id}" public-key="{key}"></tracked-wallets>'


@pytest.fixture
def link(embedded_page) -> str:
    """The address at which a page of three wallets is public."""
    embedded_page.track_many(3)
    derived.share_page(embedded_page.page_id, embedded_page.clock())
    return f"{embedded_page.service_url}/embed/page/{embedded_page.page_id}"


def expect_list(page, count=3) -> None:
    expect(page.frame_locator("iframe").locator("#widget[data-ready]")).to_be_visible()
    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(count)


def expect_grown(page) -> None:
    grown = "(frame) => frame.style.height.endsWith('px') && frame.clientHeight !== 600"
    page.wait_for_function(grown, arg=page.locator("iframe").element_handle())


# The element


@pytest.mark.parametrize("script", [CLASSIC, DEFERRED, MODULE, CLASSIC + MODULE])
@pytest.mark.parametrize("is_first", [True, False], ids=["script-first", "element-first"])
def test_element_shows_the_list_in_a_frame_that_grows(
    embedded_page, open_site, page, element, script, is_first
):
    script = script.format(embedded_page.service_url)
    open_site(script + element if is_first else element + script)

    expect_list(page)
    expect(page.locator("iframe")).to_have_count(1)
    expect_grown(page)


@pytest.mark.parametrize("script", [CLASSIC, MODULE], ids=["classic", "module"])
def test_element_in_firefox_shows_the_list_and_adds_nothing_to_the_history(
    embedded_page, firefox, element, script
):
    body = script.format(embedded_page.service_url) + element
    site = firefox.open(embedded_page.host.show(PAGE.format(body)))
    entries = site.evaluate("history.length")
    site.until("document.querySelector('iframe')?.style.height.endsWith('px')")
    listed = "document.querySelectorAll('#wallets .wallet').length"
    assert site.widget(embedded_page.service_url).evaluate(listed) == 3

    site.evaluate(
        """new Promise((loaded) => {
          document.addEventListener("load", () => loaded(), {capture: true, once: true});
          document.querySelector("tracked-wallets").setAttribute("theme", "dark");
        })"""
    )
    dark = "document.documentElement.dataset.theme === 'dark'"
    site.widget(embedded_page.service_url).until(dark)

    assert site.evaluate("history.length") == entries


def test_element_makes_the_frame_of_the_snippet(dashboard, page):
    """As an owner copies both, with a title that holds all that HTML has to escape."""
    dashboard.track_many(3)
    dashboard.configure(public_title="""Ann's "wallets" {x} <b> & \\n""")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed?lang=de&height=450")
    page.get_by_label("Address of your site").fill(dashboard.host.origin)
    page.get_by_role("button", name="Create a key and its snippet").click()
    snippets = {name: page.locator(f"#{name}").text_content() for name in ("snippet", "element")}
    # The script fits the first one's frame, too.
    snippets["snippet"] += page.locator("#script").text_content()

    found = {}
    for name, snippet in snippets.items():
        page.goto(dashboard.host.show(PAGE.format(snippet)))
        expect_list(page)
        expect_grown(page)
        found[name] = dict(page.evaluate(ATTRIBUTES))
        expect(page.frame_locator("iframe").locator("html")).to_have_attribute("lang", "de")
    styles = [
        {part.strip() for part in found[name].pop("style").split(";")} - {""} for name in found
    ]

    assert found["element"] == found["snippet"]
    assert {part for part in styles[0] if "height" not in part} == {
        part for part in styles[1] if "height" not in part
    }


def test_element_can_be_made_changed_moved_and_removed_by_scripts(
    embedded_page, open_site, page, element
):
    open_site(CLASSIC.format(embedded_page.service_url) + "<main></main><aside></aside>")
    page.evaluate(
        """([id, key]) => {
          const made = document.createElement("tracked-wallets");
          document.querySelector("main").append(made);
          made.setAttribute("page", id);
          made.setAttribute("public-key", key);
        }""",
        [embedded_page.page_id, embedded_page.key],
    )
    expect_list(page)

    page.evaluate("document.querySelector('tracked-wallets').setAttribute('lang', 'fr')")
    page.evaluate("document.querySelector('tracked-wallets').setAttribute('accent', 'ff6600')")
    html = page.frame_locator("iframe").locator("html")
    expect(html).to_have_attribute("lang", "fr")
    expect(html).to_have_attribute("data-accent", "ff6600")
    page.evaluate("document.querySelector('tracked-wallets').title = 'Holders'")
    expect(page.locator("iframe")).to_have_attribute("title", "Holders")

    page.evaluate(
        "document.querySelector('aside').append(document.querySelector('tracked-wallets'))"
    )
    expect_list(page)
    expect(page.locator("aside iframe")).to_have_count(1)
    page.evaluate("document.querySelector('tracked-wallets').remove()")
    expect(page.locator("iframe")).to_have_count(0)


def test_change_of_another_attribute_does_not_load_the_list_again(
    embedded_page, open_site, page, element
):
    open_site(element + CLASSIC.format(embedded_page.service_url))
    expect_list(page)
    frame_of(page, embedded_page.service_url).evaluate("window.isSame = true")

    page.evaluate(
        """() => {
          const element = document.querySelector("tracked-wallets");
          for (const name of ["title", "height", "class", "page"]) {
            element.setAttribute(name, element.getAttribute(name) ?? "9");
          }
        }"""
    )
    expect(page.locator("iframe")).to_have_attribute("height", "9")

    assert frame_of(page, embedded_page.service_url).evaluate("window.isSame")


def test_content_of_an_element_is_shown_until_the_script_is_there(
    embedded_page, open_site, page, element
):
    fallback = element.replace("></", "><a href='/list'>Our list</a></")
    open_site(fallback)
    expect(page.get_by_role("link", name="Our list")).to_be_visible()

    script = CLASSIC.format(embedded_page.service_url)
    for body in (fallback + script, script + fallback):
        open_site(body)
        expect_list(page)
        expect(page.get_by_role("link", name="Our list")).to_have_count(0)


def test_changes_of_an_element_add_nothing_to_the_visitors_history(
    embedded_page, open_site, page, element
):
    open_site(element + CLASSIC.format(embedded_page.service_url))
    expect_list(page)
    before = page.evaluate("history.length")

    for theme in ("dark", "light"):
        page.evaluate(f"document.querySelector('tracked-wallets').setAttribute('theme', '{theme}')")
        html = page.frame_locator("iframe").locator("html")
        expect(html).to_have_attribute("data-theme", theme)
        expect_list(page)

    assert page.evaluate("history.length") == before


SECRET = "svc_sec_" + "s" * 32


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        'page="{page}"',
        'public-key="{key}"',
        'page="{page}" public-key="' + SECRET + '"',
        'page="{page}/../x" public-key="{key}"',
        'page="{page}" public-key="{key}&theme=dark"',
        'page="javascript:alert(1)" public-key="{key}"',
        'page="{page}\n" public-key="{key}"',
    ],
)
def test_element_with_wrong_attributes_makes_no_frame_and_says_so_once(
    embedded_page, open_site, page, watch, attributes
):
    given = attributes.format(page=embedded_page.page_id, key=embedded_page.key)
    with page.expect_console_message() as warned:
        open_site(
            f"<tracked-wallets {given}></tracked-wallets>"
            + CLASSIC.format(embedded_page.service_url)
        )

    assert "<tracked-wallets> needs" in warned.value.text
    assert SECRET not in warned.value.text
    page.wait_for_load_state("networkidle")
    expect(page.locator("iframe")).to_have_count(0)
    assert watch.seen == [warned.value.text]
    watch.seen.clear()


def test_element_whose_key_becomes_wrong_shows_no_list(
    embedded_page, open_site, page, element, watch
):
    open_site(element + CLASSIC.format(embedded_page.service_url))
    expect_list(page)

    page.evaluate("document.querySelector('tracked-wallets').removeAttribute('public-key')")

    expect(page.locator("iframe")).to_have_count(0)
    watch.seen.clear()


def test_nothing_in_an_attribute_is_run_or_leaves_the_address(
    embedded_page, open_site, page, element
):
    hostile = '"&gt;&lt;img src=x onerror=alert(1)&gt;&key=x#'.replace('"', "&quot;")
    open_site(
        element.replace(
            "public-key", f'title="{hostile}" theme="{hostile}" height="{hostile}" public-key'
        )
        + CLASSIC.format(embedded_page.service_url)
    )

    expect_list(page)
    src = page.locator("iframe").get_attribute("src")
    assert src.startswith(
        f"{embedded_page.service_url}/embed/tracking/{embedded_page.page_id}?key={embedded_page.key}&theme="
    )
    assert src.count("key=") == 1
    expect(page.locator("img")).to_have_count(0)


@pytest.mark.parametrize(
    ("attribute", "is_lending"), [("", True), ('data-lend-wallets="off"', False)]
)
def test_element_lends_the_sites_wallets_unless_it_says_otherwise(
    embedded_page, open_site, page, element, attribute, is_lending
):
    open_site(
        element.replace("public-key", f"{attribute} public-key")
        + CLASSIC.format(embedded_page.service_url)
    )
    expect_list(page)

    page.frame_locator("iframe").get_by_role("button", name="Add your wallet").click()
    expect(page.frame_locator("iframe").locator("[data-step=choose]")).to_be_visible()

    expect(page.locator("link[rel=modulepreload]").first).to_be_attached(attached=is_lending)


def test_wallet_is_added_in_the_elements_frame(
    embedded_page, context, open_site, page, element, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    open_site(element + CLASSIC.format(embedded_page.service_url))
    expect_list(page)

    submit(page.frame_locator("iframe"), "Night heron")

    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")


# The link


def test_link_shows_the_list_as_a_page_of_its_own(embedded_page, page, link):
    page.goto(link)

    expect_list(page)
    expect_grown(page)
    expect(page).to_have_title("USD Coin wallets")
    assert "svc_" not in page.url


def test_link_without_scripts_shows_the_list(browser, link):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(link)

    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(3)
    context.close()


def test_visitor_of_the_link_is_remembered(embedded_page, context, page, link, browser_wallet):
    context.add_init_script(browser_wallet.script())
    page.goto(link)
    expect_list(page)
    submit(page.frame_locator("iframe"), "Night heron")
    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")

    page.reload()

    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")


@pytest.mark.parametrize("policy", [{}, {"Cross-Origin-Embedder-Policy": "require-corp"}])
def test_site_that_asks_oembed_shows_the_list(
    embedded_page, context, open_site, page, link, browser_wallet, policy
):
    """A site of which the service knows nothing, whose script inserts what it is answered."""
    context.add_init_script(browser_wallet.script())
    open_site("<body>", **policy)
    page.evaluate(EMBED, link)

    expect_list(page)
    frame = page.locator("iframe")
    assert frame.bounding_box()["width"] == 500
    submit(page.frame_locator("iframe"), "Night heron")
    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")


def test_site_can_find_oembed_by_the_link_alone(page, link):
    page.goto(link)
    tag = page.locator('link[type="application/json+oembed"]')
    described = json.loads(page.request.get(tag.get_attribute("href")).text())

    assert described["title"] == "USD Coin wallets"
    assert described["html"].count("<iframe") == 1


def test_frame_of_oembed_grows_with_the_script_for_sites(embedded_page, open_site, page, link):
    open_site("<body>" + CLASSIC.format(embedded_page.service_url))
    page.evaluate(EMBED, link)

    expect_list(page)
    expect_grown(page)


def test_list_is_there_in_the_sandbox_that_wordpress_gives_to_what_it_found_itself(
    embedded_page, open_site, page, link, watch
):
    """https://developer.wordpress.org/reference/functions/wp_filter_oembed_result/"""
    open_site("<body>")
    page.evaluate(EMBED, link)
    page.evaluate(
        """() => {
          const frame = document.querySelector("iframe");
          const boxed = document.createElement("iframe");
          boxed.setAttribute("sandbox", "allow-scripts");
          boxed.src = `${frame.src}#?secret=abc`;
          frame.replaceWith(boxed);
        }"""
    )

    expect_list(page)
    watch.seen.clear()  # such a frame may ask for nothing


def test_link_in_a_frame_that_a_site_makes_itself_shows_the_list(open_site, page, link):
    open_site(f'<iframe src="{link}" width="600" height="500"></iframe>')

    inner = page.frame_locator("iframe").frame_locator("iframe")
    expect(inner.locator("#wallets .wallet")).to_have_count(3)


def test_open_list_stops_once_its_link_has_ended(embedded_page, open_site, page, link):
    open_site("<body>")
    page.evaluate(EMBED, link)
    expect_list(page)

    derived.stop_sharing(embedded_page.page_id, embedded_page.clock())

    page.evaluate("document.querySelector('iframe').src += '?lang=en'")
    expect(page.frame_locator("iframe").locator(".refusal h1")).to_have_text(
        "There is nothing here."
    )


# The badge


@pytest.mark.parametrize("policy", [{}, {"Cross-Origin-Embedder-Policy": "require-corp"}])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_badge_is_seen_on_another_site(open_site, page, link, scheme, policy):
    page.emulate_media(color_scheme=scheme)
    open_site(
        f'<a href="{link}"><img src="{link}/badge.svg" alt="Holders" height="24"></a>', **policy
    )
    image = page.get_by_role("img", name="Holders")
    image.evaluate("(image) => image.decode()")

    assert image.evaluate("(image) => [image.naturalHeight, image.naturalWidth > 80]") == [24, True]
    page.get_by_role("link", name="Holders").click()
    expect_list(page)


def test_badge_text_is_in_the_picture(page, link):
    page.goto(f"{link}/badge.svg")
    box, text = (page.locator(name).bounding_box() for name in ("svg > rect", "svg > text"))

    expect(page.locator("svg > text")).to_have_text("3 wallets")
    assert box["x"] < text["x"]
    assert text["x"] + text["width"] < box["x"] + box["width"]
    expect(page.locator(".ground")).to_have_css("fill", "rgb(249, 249, 251)")


def test_script_of_another_site_reads_the_counts(open_site, page, link):
    open_site("<body>")
    read = "async (url) => (await fetch(url)).json()"

    assert page.evaluate(read, f"{link}/count.json") == {
        "wallets": 3,
        "share": None,
        "text": "3 wallets",
    }


# The Embed tab


def test_snippets_of_the_tab_follow_language_and_key(dashboard, page):
    derived.share_page(dashboard.page_id, dashboard.clock())
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed?lang=fr")
    element, badge = page.locator("#element"), page.locator("#badge-markdown")
    expect(element).to_contain_text('public-key="PASTE_YOUR_PUBLIC_KEY" lang="fr"')
    expect(badge).to_contain_text("badge.svg?lang=fr)")

    page.get_by_label("Language").select_option("de")
    page.get_by_label("Height in pixels").fill("450")
    page.get_by_label("Or paste a public key").fill(dashboard.key)

    expect(element).to_contain_text(f'public-key="{dashboard.key}" lang="de"')
    expect(element).to_contain_text('height="450"')
    expect(badge).to_contain_text("badge.svg?lang=de)")
    page.get_by_label("Language").select_option("")
    expect(element).to_contain_text(f'public-key="{dashboard.key}"\n')
    expect(badge).to_contain_text("badge.svg)")


def test_page_is_made_public_by_link_in_the_tab(dashboard, page, context):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    page.get_by_role("button", name="Make it public by link").click()
    expect(page.get_by_alt_text("The badge of this page")).to_be_visible()
    link = page.locator("#link").text_content()

    visitor = context.new_page()
    visitor.goto(link)
    expect(visitor.frame_locator("iframe").locator("#widget")).to_be_visible()

    page.get_by_role("button", name="End the link").click()
    expect(page.get_by_role("button", name="Make it public by link")).to_be_visible()
    assert visitor.goto(link).status == 404
