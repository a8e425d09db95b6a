"""Translators in the browser: what they do to the page changes nothing that has to be exact."""

import base64

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# As Chrome's and its likes do, while the page runs: each text goes into <font> elements, changed.
TRANSLATE = """(() => {
  const seen = new WeakSet();
  const translate = () => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) found.push(texts.currentNode);
    for (const text of found) {
      const isKept = text.parentElement.closest("script, style, textarea, [translate=no]");
      if (isKept || seen.has(text) || !text.data.trim()) continue;
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      inner.append(`«${text.data}»`);
      seen.add(inner.firstChild);
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  addEventListener("DOMContentLoaded", () => {
    translate();
    new MutationObserver(translate).observe(document.body, {
      characterData: true, childList: true, subtree: true,
    });
  });
})()"""


@pytest.fixture(autouse=True)
def translator(context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(TRANSLATE)


def read_copy(page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_visitor_reads_and_signs_a_list_that_is_translated(embedded_page, page, browser_wallet):
    embedded_page.add_tag("Team", "blue")
    addresses = embedded_page.track_many(30, tag_names=["Team"])
    widget = embedded_page.open(page, order="listed")
    expect(widget.get_by_role("button", name="«Add your wallet»")).to_be_visible()
    widget.locator(".of-balance").click()
    rows = widget.locator(".wallet")
    expect(rows.first.locator(".name")).to_have_text("Wallet 30")
    widget.get_by_role("link", name="«Show more»").click()
    expect(rows).to_have_count(30)
    widget.get_by_role("link", name="Team").click()
    widget.locator("#search").fill("wallet 7")
    expect(rows).to_have_count(1)
    expect(rows.locator(".about .tag")).to_have_text("Team")
    rows.locator("summary").first.click()
    widget.get_by_role("button", name="«Copy»").click()
    expect(widget.get_by_role("button", name="«Copied»")).to_be_visible()
    assert read_copy(page) == rows.locator(".detail code").inner_text() == addresses[6]

    widget.get_by_role("button", name="«Add your wallet»").click()
    widget.get_by_text("«By hand»").click()
    widget.locator("[name=address]").fill(browser_wallet.address)
    widget.locator("[data-do=enter-address]").click()
    widget.locator("[name=nickname]").fill("Night heron")
    widget.locator("[data-step=nickname] button").first.click()
    for name in ("command", "message"):
        shown = widget.locator(f"[data-show={name}]")
        expect(shown).to_contain_text("Night heron")
        exact = shown.inner_text()
        shown.evaluate("(one) => { one.textContent = 'what a bolder translator made of it'; }")
        widget.locator(f"[data-do=copy-{name}]").click()
        expect(widget.locator(f"[data-do=copy-{name}]")).to_have_text("«Copied»")
        assert read_copy(page) == exact
    signature = browser_wallet.key.sign(exact.encode()).signature
    widget.locator("[name=signature]").fill(base64.b64encode(signature).decode())
    widget.get_by_role("button", name="«Send»").click()

    expect(widget.locator("[data-show=sent] bdi")).to_have_text("Night heron")
    expect(widget.locator("#own-list strong")).to_have_text("Night heron")
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"
