"""What requests tell of their clients: browsers, systems and networks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.clients import name_browser, name_network, parse_client_address

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15"
USER_AGENTS = [
    ("Firefox", "Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("Edge", "Windows", f"(Windows NT 10.0) {WEBKIT} Chrome/138.0.0.0 Safari/537.36 Edg/138.0"),
    ("Opera", "Windows", "Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18"),
    ("Safari", "macOS", f"(Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Version/18.5 Safari/605.1"),
    ("Chrome", "ChromeOS", f"(X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/138.0.0.0 Safari/537.36"),
    (
        "Samsung Internet",
        "Android",
        f"(Linux; Android 10; K) {WEBKIT} SamsungBrowser/28.0 Chrome/1",
    ),
    ("Safari", "iPhone", f"{IPHONE} (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"),
    ("Edge", "iPhone", f"{IPHONE} Version/18.0 EdgiOS/138.0 Mobile/15E148 Safari/604.1"),
    ("Chrome", "Linux", f"(X11; Linux x86_64) {WEBKIT} HeadlessChrome/138.0.0.0 Safari/537.36"),
    (None, None, "curl/8.14.1"),
]
KNOWN = {name for *names, _ in USER_AGENTS for name in names}
TEXTS = [text for *_, text in USER_AGENTS]


@pytest.mark.parametrize(("browser", "system", "user_agent"), USER_AGENTS)
def test_browser_and_system_are_known_by_their_names(browser, system, user_agent):
    assert name_browser(user_agent) == (browser, system)


@given(st.text() | st.sampled_from(TEXTS).flatmap(st.permutations).map("".join))
def test_whatever_a_client_says_of_itself_gives_nothing_but_these_names(user_agent):
    assert set(name_browser(user_agent)) <= KNOWN


@pytest.mark.parametrize(
    ("raw", "network"),
    [
        ("203.0.113.77:4711", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("[2001:db8:1:2::]", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
    ],
)
def test_network_of_a_client(raw, network):
    ip = parse_client_address(raw)

    assert ip is not None
    assert name_network(ip) == network


@pytest.mark.parametrize("raw", ["", "unix:", "203.0.113.777"])
def test_other_text_is_no_address(raw):
    assert parse_client_address(raw) is None
