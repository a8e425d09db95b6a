import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.origins import parse_allowlist_entry, parse_origin
from embed.errors import InvalidInput

DEFAULT_PORT = {"http": 80, "https": 443}


@pytest.mark.parametrize(
    ("raw", "origin"),
    [
        pytest.param("https://example.com", "https://example.com", id="plain"),
        pytest.param("HTTPS://Example.COM", "https://example.com", id="capitals"),
        pytest.param("https://example.com:443", "https://example.com", id="default port of https"),
        pytest.param("http://example.com:80", "http://example.com", id="default port of http"),
        pytest.param("http://example.com:443", "http://example.com:443", id="443 of http"),
        pytest.param("https://example.com:80", "https://example.com:80", id="80 of https"),
        pytest.param("https://example.com:8443", "https://example.com:8443", id="other port"),
        pytest.param("https://example.com:65535", "https://example.com:65535", id="last port"),
        pytest.param("https://example.com:08443", "https://example.com:8443", id="padded port"),
        pytest.param("https://example.com:", "https://example.com", id="empty port"),
        pytest.param("https://example.com/", "https://example.com", id="slash"),
        pytest.param("https://example.com/a/b", "https://example.com", id="path"),
        pytest.param("https://example.com?a=b", "https://example.com", id="query"),
        pytest.param("https://example.com#a", "https://example.com", id="fragment"),
        pytest.param("https://example.com/a%20b", "https://example.com", id="percent in path"),
        pytest.param("https://example.com/@a*", "https://example.com", id="at sign in path"),
        pytest.param("https://example.com/?m=a@b.c", "https://example.com", id="at sign in query"),
        pytest.param("https://example.com/https://x.y", "https://example.com", id="two addresses"),
        pytest.param("http://localhost:8080", "http://localhost:8080", id="single label"),
        pytest.param("http://127.0.0.1:5000", "http://127.0.0.1:5000", id="IPv4"),
        pytest.param("http://[::1]", "http://[::1]", id="IPv6"),
        pytest.param("http://[2001:DB8:0:0::1]:80", "http://[2001:db8::1]", id="long IPv6"),
        pytest.param("http://my_host.example", "http://my_host.example", id="underscore"),
        pytest.param("https://m\xfcnchen.example", "https://xn--mnchen-3ya.example", id="IDN"),
        pytest.param(
            "https://M\xdcNCHEN.example", "https://xn--mnchen-3ya.example", id="IDN in capitals"
        ),
        pytest.param(
            "https://xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example", id="punycode"
        ),
        pytest.param(
            "https://stra\xdfe.example", "https://xn--strae-oqa.example", id="sharp s as browsers"
        ),
        pytest.param(
            "https://example\u3002com", "https://example.com", id="ideographic dot as browsers"
        ),
        pytest.param("https://\uff45xample.com", "https://example.com", id="fullwidth as browsers"),
        pytest.param(
            "chrome-extension://abcdefghijklmnop",
            "chrome-extension://abcdefghijklmnop",
            id="browser extension",
        ),
    ],
)
def test_origin_has_one_written_form(raw, origin):
    assert parse_origin(raw) == origin


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param("null", id="null"),
        pytest.param("NULL", id="null in capitals"),
        pytest.param("null, null", id="null twice"),
        pytest.param("*", id="wildcard alone"),
        pytest.param("example.com", id="no scheme"),
        pytest.param("//example.com", id="no scheme but slashes"),
        pytest.param("://example.com", id="empty scheme"),
        pytest.param("1http://example.com", id="scheme with a digit in front"),
        pytest.param("h ttp://example.com", id="scheme with a space"),
        pytest.param("https:example.com", id="no slashes"),
        pytest.param("https:/example.com", id="one slash"),
        pytest.param("https://", id="no host"),
        pytest.param("https:///example.com", id="three slashes"),
        pytest.param("https://:443", id="port alone"),
        pytest.param("file:///home/index.html", id="file"),
        pytest.param("data:text/html,hello", id="data"),
        pytest.param("about:blank", id="about"),
        pytest.param("javascript:alert(1)", id="script"),
        pytest.param("blob:https://example.com/x", id="blob"),
        pytest.param("file://", id="file without a path"),
        pytest.param("https://*.example.com", id="wildcard"),
        pytest.param("https://*", id="nothing but a wildcard"),
        pytest.param("https://example.com.", id="dot at the end"),
        pytest.param("https://example.com.:443", id="dot before the port"),
        pytest.param("https://.example.com", id="dot at the start"),
        pytest.param("https://example..com", id="two dots"),
        pytest.param("https://user@example.com", id="user"),
        pytest.param("https://user:password@example.com", id="user and password"),
        pytest.param("https://example.com@evil.example", id="host as user"),
        pytest.param("https://example.com:443@evil.example", id="host and port as user"),
        pytest.param("https://evil.example\\@example.com", id="backslash before the host"),
        pytest.param("https://example.com\\", id="backslash at the end"),
        pytest.param("https://@example.com", id="empty user"),
        pytest.param("https://example.com\\@evil.example", id="backslash before an at sign"),
        pytest.param("https://example.com\\.evil.example", id="backslash"),
        pytest.param("https:\\\\example.com", id="backslashes for slashes"),
        pytest.param("https://example.com/a\\b", id="backslash in path"),
        pytest.param("https://example.com%2eevil.example", id="percent sign"),
        pytest.param("https://example.com%00", id="percent-encoded NUL"),
        pytest.param("https://exam ple.com", id="space within"),
        pytest.param(" https://example.com", id="space in front"),
        pytest.param("https://example.com ", id="space at the end"),
        pytest.param("https://example.com https://evil.example", id="two origins"),
        pytest.param("https://example.com,https://evil.example", id="two origins and a comma"),
        pytest.param("https://exam\nple.com", id="newline, which urlsplit drops"),
        pytest.param("https://exam\tple.com", id="tab, which urlsplit drops"),
        pytest.param("\0https://example.com", id="NUL in front, which urlsplit drops"),
        pytest.param("https://example.com\0", id="NUL"),
        pytest.param("https://example.com/\0", id="NUL in path"),
        pytest.param("https://example.com\x7f", id="delete"),
        pytest.param("https://example.com/\x7f", id="delete in path"),
        pytest.param("https://example.com/\u3000", id="wide space in path"),
        pytest.param("https://example.com\ud800", id="lone surrogate"),
        pytest.param("https://example.com:0", id="port 0"),
        pytest.param("https://example.com:65536", id="port too great"),
        pytest.param("https://example.com:x", id="port that is no number"),
        pytest.param("https://example.com:-1", id="negative port"),
        pytest.param("https://example.com:+443", id="port with a sign"),
        pytest.param("https://example.com:4_43", id="port with an underscore"),
        pytest.param("https://example.com:\u0664\u0664\u0663", id="port in Arabic digits"),
        pytest.param("https://example.com:443:443", id="two ports"),
        pytest.param("http://::1", id="IPv6 without brackets"),
        pytest.param("http://[::1", id="open bracket"),
        pytest.param("http://::1]", id="closing bracket alone"),
        pytest.param("http://[example.com]", id="name in brackets"),
        pytest.param("http://[127.0.0.1]", id="IPv4 in brackets"),
        pytest.param("http://[::g]", id="IPv6 with a letter too far"),
        pytest.param("http://[fe80::1%25eth0]", id="IPv6 with a zone"),
        pytest.param("http://[v1.a:b]", id="address of a future IP"),
        pytest.param("http://evil.example[::1]", id="name before brackets"),
        pytest.param("http://[::1]evil.example", id="name after brackets"),
        pytest.param("http://[::1].evil.example:80", id="name and port after brackets"),
        pytest.param("https://exa\u2100mple.com", id="character that becomes a slash"),
        pytest.param("https://example.com\uff20evil.example", id="fullwidth at sign"),
        pytest.param("https://exa'mple.com", id="quote"),
        pytest.param("https://example.com;", id="semicolon"),
        pytest.param("https://" + "a" * 64 + ".example", id="label of 64"),
        pytest.param("https://" + "a." * 126 + "ab", id="name of 254"),
        pytest.param("https://" + "a." * 5000 + "example", id="5,000 labels"),
        pytest.param("https://" + "\xfc" * 64 + ".example", id="IDN label of 64"),
        pytest.param("https://" + "a" * 5000, id="5000 characters"),
        pytest.param("https://\u0301.example", id="IDN that starts with a mark"),
    ],
)
def test_what_has_no_origin_has_none(raw):
    assert parse_origin(raw) is None


def test_longest_host_name_is_an_origin():
    name = "a." * 126 + "a"

    assert len(name) == 253
    assert parse_origin(f"https://{name}:65535") == f"https://{name}:65535"


ANY_TEXT = st.text(st.characters())
HOSTLIKE_TEXT = st.text(st.characters(categories=["L", "M", "N", "Pd"]) | st.sampled_from(".:[]@%"))


@given(st.tuples(st.sampled_from(["", "http://", "HTTPS://"]), ANY_TEXT | HOSTLIKE_TEXT))
def test_any_text_has_no_origin_or_one_in_its_final_form(parts):
    origin = parse_origin("".join(parts))

    if origin is not None:
        assert parse_origin(origin) == origin
        assert origin.isascii()
        assert origin == origin.lower()
        assert not set(origin) & set(" \\@%*?#")
        assert origin.count("/") == 2


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LABELS = st.builds(
    "{}{}".format, st.sampled_from(LETTERS), st.text(LETTERS + "-", max_size=11)
).filter(lambda label: not label.endswith("-"))
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(".".join)
TAILS = st.sampled_from(["", "/", "/a", "/a/../b?c=d", "?q", "#f", "/%20/@/*", "//b.example"])


@given(
    scheme=st.sampled_from(["http", "https"]),
    host=NAMES | st.ip_addresses(v=4).map(str),
    port=st.integers(1, 65535) | st.none(),
    tail=TAILS,
    data=st.data(),
)
def test_every_way_to_write_an_origin_gives_the_same(scheme, host, port, tail, data):
    port_is_default = port in (None, DEFAULT_PORT[scheme])
    normal = f"{scheme}://{host}" if port_is_default else f"{scheme}://{host}:{port}"
    written_ports = ["", f":{DEFAULT_PORT[scheme]}"] if port_is_default else [f":{port}"]

    written = f"{scheme}://{host}{data.draw(st.sampled_from(written_ports))}"
    in_capitals = data.draw(
        st.lists(st.booleans(), min_size=len(written), max_size=len(written)), label="in capitals"
    )
    raw = "".join(
        character.upper() if is_capital else character
        for character, is_capital in zip(written, in_capitals, strict=True)
    )

    assert parse_origin(raw + tail) == normal


@given(st.ip_addresses(v=6))
def test_every_way_to_write_an_ipv6_address_gives_the_same(address):
    origin = parse_origin(f"http://[{address.exploded.upper()}]:80/")

    assert origin == f"http://[{address.compressed}]"
    assert ipaddress.ip_address(origin.removeprefix("http://")[1:-1]) == address


@given(NAMES, NAMES)
def test_different_hosts_have_different_origins(one, other):
    assert (parse_origin(f"https://{one}") == parse_origin(f"https://{other}")) == (one == other)


@pytest.mark.parametrize(
    ("raw", "origin"),
    [
        pytest.param("https://example.com", "https://example.com", id="plain"),
        pytest.param("  HTTPS://Example.com:443/  ", "https://example.com", id="carelessly typed"),
        pytest.param("https://example.com/my/page", "https://example.com", id="with a path"),
        pytest.param("https://example.com/caf%C3%A9", "https://example.com", id="with percents"),
        pytest.param("http://localhost:8080", "http://localhost:8080", id="local"),
        pytest.param("https://m\xfcnchen.example", "https://xn--mnchen-3ya.example", id="IDN"),
    ],
)
def test_owner_lists_an_origin(raw, origin):
    assert parse_allowlist_entry(raw) == origin


@pytest.mark.parametrize(
    ("raw", "advice"),
    [
        pytest.param("*", "wildcard", id="everything"),
        pytest.param("https://*.example.com", "wildcard", id="all subdomains"),
        pytest.param("*.example.com", "wildcard", id="all subdomains, no scheme"),
        pytest.param("null", "allow-null-origin switch", id="null"),
        pytest.param(" NULL ", "allow-null-origin switch", id="null in capitals"),
        pytest.param("example.com", "no scheme", id="no scheme"),
        pytest.param("example.com:8080", "no scheme", id="port but no scheme"),
        pytest.param("//example.com", "no scheme", id="slashes but no scheme"),
        pytest.param("", "no scheme", id="empty"),
        pytest.param("https://", "is not an origin", id="no host"),
        pytest.param("https://exam ple.com", "is not an origin", id="space within"),
        pytest.param("https://user@example.com", "is not an origin", id="user"),
        pytest.param("https://example.com:99999", "is not an origin", id="no such port"),
        pytest.param("https://example.com\0", "is not an origin", id="NUL"),
    ],
)
def test_owner_learns_what_to_write_instead(raw, advice):
    with pytest.raises(InvalidInput, match=advice) as refusal:
        parse_allowlist_entry(raw)

    assert str(refusal.value).endswith(".")
    assert str(refusal.value).isprintable()


@given(ANY_TEXT | HOSTLIKE_TEXT.map("https://".__add__))
def test_any_entry_is_listed_in_its_final_form_or_refused(raw):
    try:
        entry = parse_allowlist_entry(raw)
    except InvalidInput:
        return
    assert parse_allowlist_entry(entry) == parse_origin(entry) == entry
