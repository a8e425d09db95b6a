"""The pictures of a page: its logo, and those that chats show of its share link."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image
from shared_pages import ENDINGS, every_ending, get, share
from support.world import Visitor

from embed import pages
from embed.balances.tokens import Supply
from embed.db.models import Wallet
from embed.domain.colors import find_tag_color
from embed.logos import draw_logo
from embed.translations import LANGUAGES
from embed.wallets import tracking
from embed.web.pictures.addresses import locate_logo
from embed.web.pictures.canvas import Canvas
from embed.web.pictures.kept import KeptPictures
from embed.web.pictures.letters import make_drawable
from embed.web.pictures.list_picture import draw_list
from embed.web.widget import pictures

MAX_BYTES = 40_000
RED_LOGO = Image.new("RGB", (200, 200), "#d02020")


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setattr(pictures, "_kept", KeptPictures())


@pytest.fixture
def path(world) -> str:
    return share(world)


def add_logo(world, image: Image.Image = RED_LOGO) -> None:
    file = io.BytesIO()
    image.save(file, "PNG")
    pages.change_look(world.page_id, {}, world.change(), logo=draw_logo(file.getvalue()))


def read(answer) -> Image.Image:
    """Return a picture in colors, after checking how it's sent."""
    assert (answer.status_code, answer.content_type) == (200, "image/png")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in answer.headers
    assert len(answer.data) < MAX_BYTES
    image = Image.open(io.BytesIO(answer.data), formats=["PNG"])
    assert (image.size, image.mode) == ((1200, 630), "P")
    return image.convert("RGB")


def join(world, nickname: str = "Night heron") -> Visitor:
    visitor = Visitor()
    world.approve(world.submit(visitor, nickname).json["submissionId"])
    return visitor


def find_wallet(world, visitor: Visitor) -> str:
    wallets = tracking.list_wallets(world.page, world.balances)
    return next(one.id for one in wallets if one.address == visitor.address)


def count_pixels(image: Image.Image, color: str) -> int:
    wanted = tuple(bytes.fromhex(color))
    return sum(count for count, found in image.getcolors(1200 * 630) if found == wanted)


# The logo


def locate(world) -> str | None:
    with world.app.test_request_context():
        return locate_logo(world.page)


def test_logo_is_sent_to_everyone_for_good_under_an_address_without_a_key(world):
    assert locate(world) is None
    add_logo(world)

    address = locate(world)
    answer = world.client.get(address)

    assert (answer.status_code, answer.content_type) == (200, "image/webp")
    assert "svc_" not in address
    assert answer.headers["Cache-Control"] == "public, immutable, max-age=31536000"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in answer.headers
    assert Image.open(io.BytesIO(answer.data)).size == (128, 128)


def test_address_of_an_earlier_logo_of_another_page_or_of_a_deleted_one_is_not_found(world):
    add_logo(world)
    first = locate(world)
    add_logo(world, Image.new("RGB", (200, 200), "blue"))
    second = locate(world)
    other = second.replace(world.page_id, world.make_page())
    wrong = f"{second.rpartition('/')[0]}/%ed%a0%80.webp"

    assert world.client.get(second).status_code == 200
    assert {world.client.get(one).status_code for one in (first, other, wrong)} == {404}
    world.delete_page()
    assert world.client.get(second).status_code == 404


# The picture of a list


def test_bar_has_tags_in_their_true_widths_small_ones_grey_and_uncounted_ones_hatched(world, path):
    add_logo(world, Image.effect_noise((200, 200), 90))
    join(world)
    tags = {"blue": 600, "green": 300, "teal": 95, "red": 5}
    for color, balance in tags.items():
        world.add_tag(color, color, is_counted=color != "teal")
        world.clock.forward(seconds=1)  # tags of the same moment are in any order
        visitor = Visitor()
        world.track(visitor.address, tag_names=[color])
        world.observe(visitor.address, balance)

    image = read(get(world, f"{path}/picture.png"))

    _, green, teal, red = (count_pixels(image, find_tag_color(color)) for color in tags)
    assert abs(green / 28 - 0.3 * 1060) < 4.5
    assert 0.3 < teal / (0.095 * 1060 * 28) < 0.6
    assert red == 0
    assert count_pixels(image, "8b8d98") > 0


def test_picture_is_drawn_once_for_a_version_and_a_language(world, path, monkeypatch):
    first = get(world, f"{path}/picture.png")
    known = {"If-None-Match": first.headers["ETag"]}
    again = get(world, f"{path}/picture.png", headers=known)
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert (again.status_code, again.data) == (304, b"")
    drawn = []
    world.configure(public_comments="New")
    monkeypatch.setattr(pictures, "draw_list", lambda shown: drawn.append(shown) or b"PNG")

    for _ in range(3):
        get(world, f"{path}/picture.png", v="other")
        get(world, f"{path}/picture.png", lang="de", headers={"Accept-Language": "fr"})
    assert len(drawn) == 2
    add_logo(world)
    get(world, f"{path}/picture.png")
    assert len(drawn) == 3


def test_other_visitors_get_the_mark_while_a_picture_is_drawn(world, path, monkeypatch):
    started, may_end = threading.Event(), threading.Event()

    def draw_slowly(shown):
        started.set()
        assert may_end.wait(20)
        return draw_list(shown)

    monkeypatch.setattr(pictures, "draw_list", draw_slowly)
    with ThreadPoolExecutor() as pool:
        drawing = pool.submit(lambda: get(world, f"{path}/picture.png"))
        assert started.wait(20)
        meanwhile = get(world, f"{path}/picture.png", lang="de")
        may_end.set()
        answer = drawing.result()

    assert meanwhile.headers["Cache-Control"] == "no-store"
    assert Image.open(io.BytesIO(meanwhile.data)).size != (1200, 630)
    read(answer)
    monkeypatch.setattr(pictures, "draw_list", draw_list)
    read(get(world, f"{path}/picture.png", lang="de"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("supply", [None, 5_000])
def test_no_letter_is_drawn_that_the_font_lacks(world, path, monkeypatch, language, supply):
    drawn: list[str] = []
    really_write = Canvas.write

    def write(self, x, y, text, **options):
        drawn.append(text)
        return really_write(self, x, y, text, **options)

    monkeypatch.setattr(Canvas, "write", write)
    monkeypatch.setattr(world.balances, "find_supply", lambda mint: supply and Supply(supply, None))
    world.configure(public_title="猫の会", token_name="קטע", token_symbol="猫")
    visitor = join(world, "猫")
    world.observe(visitor.address, 1_234)
    world.configure(public_comments="New")

    read(get(world, f"{path}/picture.png", lang=language))
    read(get(world, f"{path}/card/{find_wallet(world, visitor)}.png", lang=language))

    assert all(make_drawable(text) == text for text in drawn), drawn
    shown = " ".join(drawn)
    assert "1" in shown
    assert not set(shown) & set("猫קטע")


@every_ending
def test_pictures_and_cards_end_with_the_link(world, path, ending):
    card = f"{path}/card/{find_wallet(world, join(world))}"
    addresses = (f"{path}/picture.png", card, f"{card}.png")
    assert [get(world, one).status_code for one in addresses] == [200] * 3

    ENDINGS[ending](world)

    for answer in (get(world, one) for one in addresses):
        assert answer.status_code == 404
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"


# Cards


CARD_ENDINGS = {
    "hidden": lambda world, visitor: Wallet.update(is_hidden=True).execute(),
    "withheld": lambda world, visitor: Wallet.update(is_withheld=True).execute(),
    "withdrawn": lambda world, visitor: world.withdraw(visitor),
    "removed": lambda world, visitor: tracking.remove_wallet(
        find_wallet(world, visitor), world.change()
    ),
}


@pytest.mark.parametrize("ending", CARD_ENDINGS)
@pytest.mark.parametrize("is_owners", [True, False])  # an entry that stays on the list
def test_card_ends_with_the_wallets_place_on_the_list_or_its_proof(world, path, ending, is_owners):
    visitor = Visitor()
    if is_owners:
        wallet = world.track(visitor.address, alias="Own entry")
        assert get(world, f"{path}/card/{wallet.id}").status_code == 404
    world.approve(world.submit(visitor).json["submissionId"])
    card = f"{path}/card/{find_wallet(world, visitor)}"
    read(get(world, f"{card}.png"))
    assert get(world, card).status_code == 200

    CARD_ENDINGS[ending](world, visitor)

    assert [get(world, one).status_code for one in (card, f"{card}.png")] == [404, 404]


@pytest.mark.parametrize("wallet_id", ["x" * 20, "%ed%a0%80", "another page's"])
@pytest.mark.parametrize("suffix", ["", ".png"])
def test_wallet_that_is_none_has_no_card(world, wallet_id, suffix):
    if wallet_id == "another page's":
        wallet_id = find_wallet(world, join(world))
    path = share(world, world.make_page())

    assert get(world, f"{path}/card/{wallet_id}{suffix}").status_code == 404
