"""The script for sites, in what frameworks render, in shadow roots, and under strict policies."""

import json

import pytest
from embedded_page import expect_fitted, frame_of
from official_wallet import bundle
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

TAG = '<script src="{0}/embed.js"></script>'
LATE = """<script type="module">
  await new Promise((done) => setTimeout(done, 300));
  const script = document.createElement("script");
  script.src = "{0}/embed.js";
  document.head.append(script);
</script>"""
DOCUMENTED = {  # as docs/embedding.md has it for React
    "title": "Wallets",
    "width": "100%",
    "height": "600",
    "style": {"border": 0, "display": "block", "colorScheme": "light"},
    "referrerPolicy": "strict-origin",
}
LIGHT_INK = "rgb(237, 238, 240)"
# A place for %s, the frame; each says whether scripts of the page can reach it.
PLACES = {
    "open": """<div id="place"></div><script>
      place.attachShadow({ mode: "open" }).innerHTML = `%s`;
    </script>""",
    "declarative": '<div><template shadowrootmode="open">%s</template></div>',
    "defined later": """<own-place></own-place><script>
      setTimeout(() => customElements.define("own-place", class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = `%s`; }
      }), 500);
    </script>""",
    "nested": """<div><template shadowrootmode="open"><p style="background: #111"><slot></slot></p>
      </template><div><template shadowrootmode="open">%s</template></div></div>""",
    "slotted": """<div><template shadowrootmode="open"><p style="background: #111"><slot></slot></p>
      </template>%s</div>""",
}


@pytest.fixture
def frame(embedded_page) -> str:
    return f'<iframe src="{embedded_page.widget_url()}" title="Wallets"></iframe>'


@pytest.mark.parametrize(
    ("place", "tag"),
    [*((place, TAG) for place in PLACES.values()), (PLACES["declarative"], LATE)],
    ids=[*PLACES, "late"],
)
def test_frame_in_a_shadow_root_is_served_like_any_other(
    embedded_page, context, open_site, page, frame, browser_wallet, place, tag
):
    context.add_init_script(browser_wallet.script(where="top"))
    heard = """<script>
      window.heard = [];
      document.addEventListener("tracking-embed:ready", ({ target }) => heard.push(target.tagName));
    </script>"""
    open_site(heard + place % frame, tag)
    widget = expect_fitted(page)

    page.wait_for_function("heard.length === 1")
    is_on_dark_ground = "#111" in place
    if is_on_dark_ground:
        expect(widget.locator("body")).to_have_css("color", LIGHT_INK)
    page.evaluate("document.documentElement.className = 'dark'")
    expect(widget.locator("body")).to_have_css("color", LIGHT_INK)
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.get_by_role("button", name="Test wallet")).to_be_visible()


def test_whole_snippet_in_a_shadow_root_works_and_can_switch_lending_off(
    embedded_page, context, open_site, page, frame, browser_wallet
):
    context.add_init_script(browser_wallet.script(where="top"))
    script = f'<script src="{embedded_page.service_url}/embed.js" data-lend-wallets="off"></script>'
    open_site(PLACES["declarative"] % (frame + script), tag="")
    widget = expect_fitted(page)
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()
    embedded_page.settle(page)

    expect(widget.get_by_role("button", name="Test wallet")).to_have_count(0)


def test_frames_in_closed_shadow_roots_are_told_of_once(
    embedded_page, open_site, page, frame, watch
):
    open_site(PLACES["declarative"].replace("open", "closed") % (frame * 2) + frame)
    expect_fitted(page)
    inner = [one for one in page.frames if one.url.startswith(embedded_page.service_url)]
    for one in inner:
        one.wait_for_selector("#widget[data-ready]")
        one.evaluate("document.body.style.padding = '9px'")  # another message
    embedded_page.settle(page)

    (said,) = watch.seen
    assert f"a frame of {embedded_page.service_url} that" in said
    assert said.endswith("in a closed shadow root.")
    watch.seen.clear()


def test_page_that_react_takes_over_late_has_what_the_server_wrote(
    embedded_page, open_site, page, tmp_path
):
    """React's development build logs every attribute that differs; `watch` fails then."""
    source = tmp_path / "page.js"
    source.write_text(f"""
      import {{ createElement }} from "react";
      import {{ hydrateRoot }} from "react-dom/client";
      import {{ renderToString }} from "react-dom/server";
      const frame = {json.dumps(DOCUMENTED | {"src": embedded_page.widget_url()})};
      const page = createElement("main", null, createElement("iframe", frame));
      window.written = renderToString(page);
      window.hydrate = () => hydrateRoot(root, page);
    """)
    script = f"<script>{bundle(source)}</script>"
    open_site(script, tag="")
    written = page.evaluate("written")
    open_site(f'<div id="root">{written}</div>{script}')
    expect_fitted(page)
    page.evaluate("document.documentElement.className = 'dark'")
    before = page.locator("main").inner_html()
    page.evaluate("hydrate()")
    page.wait_for_function("Object.keys(root.firstChild).some((key) => key.startsWith('__react'))")

    expect(expect_fitted(page).locator("body")).to_have_css("color", LIGHT_INK)
    assert page.locator("main").inner_html() == before


def test_script_that_runs_twelve_times_says_each_thing_once(embedded_page, open_site, page, frame):
    open_site(frame, tag=TAG * 12)
    expect_fitted(page)
    inner = frame_of(page, embedded_page.service_url)
    inner.evaluate(
        """window.heard = [];
        addEventListener("message", ({ data }) => heard.push(data.kind));"""
    )
    page.evaluate("document.documentElement.className = 'dark'")
    inner.wait_for_function("() => heard.length > 0")
    embedded_page.settle(page)

    assert inner.evaluate("heard") == ["embed:theme"]


@pytest.mark.parametrize(
    ("frame_has", "style", "expected"),
    [
        ("", "", ("784px", "0px")),
        ('width="500"', "", ("500px", "0px")),
        ('style="width: 500px; border: 1px solid"', "", ("502px", "1px")),
        ("", "iframe { width: 300px; border: 3px dotted }", ("306px", "3px")),
    ],
)
def test_frame_keeps_the_width_and_the_border_that_its_site_gives_it(
    embedded_page, open_site, page, frame_has, style, expected
):
    page.set_viewport_size({"width": 800, "height": 600})
    src = embedded_page.widget_url()
    open_site(f"<style>{style}</style><iframe {frame_has} src='{src}'></iframe>")
    shown = page.locator("iframe")
    expect_height = "frame => frame.offsetHeight > 160"
    page.wait_for_function(expect_height, arg=shown.element_handle())

    width, border = expected
    assert f"{shown.bounding_box()['width']:.0f}px" == width
    expect(shown).to_have_css("border-top-width", border)


def test_frame_without_an_origin_makes_no_error_for_each_message(
    embedded_page, open_site, page, watch
):
    embedded_page.key = embedded_page.make_key("public", allow_null_origin=True)
    open_site(f'<iframe sandbox="allow-scripts" src="{embedded_page.widget_url()}"></iframe>')
    page.wait_for_load_state()
    for name in ("dark", "light", "dark"):
        page.evaluate("(name) => { document.documentElement.className = name; }", name)
    body = page.frame_locator("iframe").locator("body")
    expect(body).to_have_css("color", LIGHT_INK)  # the site's theme reaches it

    assert [said for said in watch.seen if "postMessage" in said] == []
    watch.seen.clear()  # the browser's own refusal


@pytest.mark.parametrize("tag", [TAG, ""], ids=["script", "plain"])
def test_snippet_works_under_a_policy_against_style_attributes(embedded_page, open_site, page, tag):
    """The rule that docs/embedding.md has instead of the attribute."""
    service = embedded_page.service_url
    rule = f'iframe[src^="{service}/"] {{ border: 0; display: block; color-scheme: light }}'
    sheet = embedded_page.host.show(rule, **{"Content-Type": "text/css"})
    frame = f'<iframe src="{embedded_page.widget_url()}" width="100%" height="600"></iframe>'
    policy = f"default-src 'none'; style-src 'self'; script-src {service}; frame-src {service}"
    open_site(
        f'<link rel="stylesheet" href="{sheet}">{frame}',
        tag,
        **{"Content-Security-Policy": f"{policy}; img-src data:"},
    )
    shown = page.locator("iframe")

    expect(shown).to_have_css("border-top-width", "0px")
    expect(shown).to_have_css("display", "block")
    if tag:
        expect_fitted(page)
    else:
        expect(shown).to_have_css("height", "600px")
