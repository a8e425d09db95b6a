"""QR codes that open the widget in a phone's wallet."""

import segno
from world import one_database

from embed.web.widget import wallet_links


def draw(world, wallet="phantom", **headers):
    return world.call(
        "GET",
        f"/embed/tracking/{world.page_id}/qr.svg",
        query_string={"key": world.public_key, "wallet": wallet},
        headers=headers,
    )


@one_database
def test_code_is_drawn_once_for_each_link(world, monkeypatch):
    drawn = []

    def make(link, **how):
        drawn.append(link)
        return segno.make(link, **how)

    wallet_links._draw.cache_clear()
    monkeypatch.setattr(wallet_links, "segno", type("Counted", (), {"make": staticmethod(make)}))
    pictures = [draw(world).text, draw(world).text, draw(world, "solflare").text]

    assert [link.partition("/ul/")[0] for link in drawn] == [
        "https://phantom.app",
        "https://solflare.com",
    ]
    assert pictures[0] == pictures[1] != pictures[2]
    assert pictures[0].startswith("<svg xmlns=")


@one_database
def test_remembered_codes_are_bounded_although_links_name_the_host(world, monkeypatch):
    code = segno.make("any")
    make = staticmethod(lambda link, **how: code)
    monkeypatch.setattr(wallet_links, "segno", type("Quick", (), {"make": make}))
    for number in range(300):
        assert draw(world, Host=f"host-{number}.example").status_code == 200

    cache = wallet_links._draw.cache_info()
    assert cache.currsize == cache.maxsize == 256
    wallet_links._draw.cache_clear()
