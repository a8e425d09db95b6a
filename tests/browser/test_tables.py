"""The dashboard's tables: figures and heads have room, also in wide letters and long languages."""

from datetime import timedelta

import pytest
from embedded_page import BrowserWallet, sign_in
from support.chain_history import record_history
from support.world import USDC, Visitor

from embed.db.models import Token
from embed.domain.amounts import MAX_AMOUNT

pytestmark = pytest.mark.browser

DAY = timedelta(days=1)
WIDTHS = (1280, 768, 320)
# Letters closer together and farther apart stand for fonts that not every machine has.
SPACINGS = ("-0.03em", "0.06em")
PAGES = ("wallets", "activity", "settings/rules")
HELD = {  # now, a day ago, a week ago
    "Whale": ("99999999999999999999", "0.00000000000000000001", "1"),
    "Night heron": ("216000.25", "216000", "190000"),
    "Fallen": ("0.000000123456789", "99999999999999999999", "123456.789"),
}
# What a wallet's name has no room for is cut off, and is no fault.
FIND_FAULTS = r"""() => {
  const faults = [], range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const {data, parentElement} = texts.currentNode;
    if (!parentElement.checkVisibility() || parentElement.closest("code, time, li bdi")) continue;
    const isCell = parentElement.closest("td.number");
    for (const one of data.matchAll(isCell ? /\S.*\S/g : /\d(?:[\d.,\u00a0\u202f]*\d)?/g)) {
      range.setStart(texts.currentNode, one.index);
      range.setEnd(texts.currentNode, one.index + one[0].length);
      const lines = new Set([...range.getClientRects()].map(({top}) => Math.round(top)));
      if (lines.size > 1) faults.push(`broken: ${one[0]}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("scrolls sideways");
  const {left, right} = document.querySelector("main table").getBoundingClientRect();
  for (const one of document.querySelectorAll("thead tr > *, td, .totals th, .pages th")) {
    if (!one.checkVisibility()) continue;
    const cell = one.getBoundingClientRect();
    range.selectNodeContents(one);
    const text = one.textContent.trim() ? range.getBoundingClientRect() : cell;
    if (Math.min(cell.left - left, right - cell.right) < -1) faults.push(`out: ${one.innerText}`);
    if (Math.min(text.left - cell.left, cell.right - text.right) < -1) {
      faults.push(`wide: ${one.innerText}`);
    }
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


@pytest.fixture
def filled(dashboard):
    """A page with wallets whose figures are long, and with submissions."""
    Token.delete().execute()
    now = dashboard.clock()
    Token.create(mint=USDC, supply=MAX_AMOUNT, supply_observed_at=now)
    for name, (amount, yesterday, last_week) in HELD.items():
        address = BrowserWallet().address
        dashboard.track(address, alias=name)
        record_history(USDC, address, now, amount, {DAY: yesterday, 7 * DAY: last_week})
    for _ in range(3):
        dashboard.approve(dashboard.submit(Visitor(), "Night heron").json["submissionId"])
    yield dashboard
    Token.delete().execute()  # of all pages


def test_no_figure_breaks_and_nothing_leaves_its_table(filled, open_browser):
    found = []
    for language in ("de", "ru", "ar", "pt"):
        page = open_browser(locale=language)
        sign_in(page, filled)
        for path in ("", *PAGES):
            page.goto(f"{filled.base}/{path}" if path else f"{filled.service_url}/dashboard/")
            assert page.locator("html").get_attribute("lang") == language
            heads = page.locator("main table thead th").all_inner_texts()
            found += [f"{path} in {language}: {heads}"] * (len(set(heads)) < len(heads))
            for spacing in SPACINGS:
                page.evaluate(f"document.documentElement.style.letterSpacing = '{spacing}'")
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 800})
                    where = f"{path or 'overview'} in {language}, {spacing}, {width} px"
                    found += [f"{where}: {one}" for one in page.evaluate(FIND_FAULTS)]

    assert found == []
