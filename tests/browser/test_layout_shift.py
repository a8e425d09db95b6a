"""Cold loads on a slow device: what has been painted stays where it is."""

import pytest
from embedded_page import frame_of

LOADS = 20
MAX_SHIFT = 0.05  # of the frame's cumulative layout shift; web.dev calls up to 0.1 good

NOTE_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      const moved = sources.map(({ node, previousRect: a, currentRect: b }) =>
        `${node?.id || node?.className || node?.nodeName} ${a.x},${a.y} ${b.x},${b.y}`);
      if (!hadRecentInput) window.shifts.push({ value, moved });
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""
SETTLE = """async () => {
  await document.fonts.ready;
  while (performance.getEntriesByName("first-paint").length === 0) {
    await new Promise(requestAnimationFrame);
  }
  for (let frames = 0; frames < 30; frames++) await new Promise(requestAnimationFrame);
  return window.shifts;
}"""


@pytest.fixture(scope="module")
def slow_browser(launch):
    """A browser whose frames share the process of their page, so that both are throttled."""
    browser = launch("--disable-site-isolation-trials", "--disable-features=IsolateOrigins")
    yield browser
    browser.close()


def load(slow_browser, embedded_page, url, cookie_blocked=False):
    context = slow_browser.new_context(viewport={"width": 800, "height": 900})
    context.add_init_script(f"({NOTE_SHIFTS})()")
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    if cookie_blocked:
        client.send("Network.enable")
        client.send(
            "Network.setCookieControls",
            {
                "enableThirdPartyCookieRestriction": True,
                "disableThirdPartyCookieMetadata": True,
                "disableThirdPartyCookieHeuristics": True,
            },
        )
    page.goto(url, wait_until="load")
    page.frame_locator("iframe").locator("#widget[data-ready]").wait_for()
    embedded_page.settle(page)
    shifts = frame_of(page, embedded_page.service_url).evaluate(SETTLE)
    host = page.evaluate("window.shifts")
    context.close()
    return shifts, host


@pytest.mark.parametrize("count", [0, 12, 39, 500])
@pytest.mark.parametrize("script", [False, True])
def test_measure(slow_browser, embedded_page, count, script):
    for name in ("team", "early bird"):
        embedded_page.add_tag(name, "blue")
    embedded_page.track_many(count, tag_names=["team", "early bird"])
    url = embedded_page.host_page(script=script)
    for _ in range(6):
        shifts, host = load(slow_browser, embedded_page, url)
        print(
            count, script, round(sum(s["value"] for s in shifts), 3), shifts[:4], "HOST", host[:3]
        )
