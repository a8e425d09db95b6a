"""Translators in the browser: what they do to the page changes nothing that has to be exact."""

import base64

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# As Chrome's and its likes do, while the page runs: each text goes into a <font>, changed.
TRANSLATE = """(() => {
  const translate = () => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) found.push(texts.currentNode);
    for (const text of found) {
      const isKept = text.parentElement.closest("script, style, textarea, font, [translate=no]");
      if (isKept || !text.data.trim()) continue;
      const font = document.createElement("font");
      font.append(`«${text.data}»`);
      text.replaceWith(font);
    }
  };
  addEventListener("DOMContentLoaded", () => {
    translate();
    new MutationObserver(translate).observe(document.body, { childList: true, subtree: true });
  });
})()"""


def test_visitor_signs_the_exact_text_on_a_page_that_is_translated(
    embedded_page, context, page, browser_wallet
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(TRANSLATE)
    embedded_page.track_many(2)
    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .name")).to_have_text(["Wallet 2", "Wallet 1"])

    widget.get_by_role("button", name="«Add your wallet»").click()
    widget.get_by_text("«By hand»").click()
    widget.locator("[name=address]").fill(browser_wallet.address)
    widget.locator("[data-do=enter-address]").click()
    widget.locator("[name=nickname]").fill("Night heron")
    widget.locator("[data-step=nickname] button").first.click()
    shown = widget.locator("[data-show=message]")
    expect(shown).to_contain_text("Night heron")
    exact = shown.inner_text()
    shown.evaluate("(one) => { one.textContent = 'what a bolder translator made of it'; }")
    widget.locator("[data-do=copy-message]").click()
    expect(widget.locator("[data-do=copy-message]")).to_have_text("«Copied»")
    assert page.evaluate("navigator.clipboard.readText()") == exact
    signature = browser_wallet.key.sign(exact.encode()).signature
    widget.locator("[name=signature]").fill(base64.b64encode(signature).decode())
    widget.get_by_role("button", name="«Send»").click()

    expect(widget.locator("#own-list strong")).to_have_text("Night heron")
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"
