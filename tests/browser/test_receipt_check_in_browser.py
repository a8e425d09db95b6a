"""The page that checks receipts, opened from a disk without network, and from the service."""

import hashlib
import json

import pytest
from axe import find_faults
from playwright.sync_api import Page, expect
from support.receipt_cases import (
    LONG_HOST,
    NEAR_MISSES,
    PAGE_ID,
    list_forgeries,
    list_receipts,
    make,
    write,
)
from support.servers import PROJECT_DIR
from support.world import USDC

pytestmark = pytest.mark.browser

FILE = (PROJECT_DIR / "static/check-receipts.html").as_uri()
HOLDS = "The wallet’s holder signed this text."
FAILS = "This receipt failed the check. It proves nothing."
KIND = "tracking-embed-receipts/1"


@pytest.fixture
def checker(context, page) -> Page:
    """The saved file, with the network off."""
    context.set_offline(True)
    page.goto(FILE)
    page.locator("#form:not([hidden])").wait_for()
    return page


def check(page: Page, text: str) -> str:
    """Paste a text and return the verdict on it."""
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#progress")).to_be_empty()
    return page.locator("#verdict").inner_text()


def list_failed(page: Page) -> list[str]:
    return page.locator(".checks li:has(.fails)").all_inner_texts()


def drop(page: Page, content: str) -> None:
    """Drop a file onto the page."""
    page.evaluate(
        """(content) => {
          const data = new DataTransfer();
          data.items.add(new File([content], "receipts.json", { type: "application/json" }));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        content,
    )


def write_many(*receipts: dict, **fields: object) -> str:
    head = {"format": KIND, "trackingPageId": PAGE_ID, "tokenMint": USDC}
    return json.dumps(head | {"receipts": receipts} | fields, ensure_ascii=False)


def test_receipts_in_every_form_hold(checker):
    receipts = list_receipts() + list_receipts(host=LONG_HOST)
    verdicts = [check(checker, write(one)) for one in receipts]

    assert set(verdicts) == {HOLDS}
    assert len({one["form"] for one in receipts}) == 5
    assert list_failed(checker) == []


def test_page_says_what_was_signed_and_what_was_not(checker):
    name = "<img src=x onerror=alert(1)>\u202eevil"
    assert check(checker, write(make("v0", name))) == HOLDS

    result = checker.locator("#result")
    for told in (name, make()["walletAddress"], PAGE_ID, "embed.example", USDC):
        expect(result).to_contain_text(told)
    expect(result.get_by_role("heading", name="What the signature does not prove")).to_be_visible()
    expect(result.locator("pre")).to_have_text(make("v0", name)["message"])
    expect(checker.locator("#verdict")).to_be_focused()
    expect(result.locator("img")).to_have_count(0)
    expect(result.locator("dl bdi").first).to_have_text(name)


def test_near_misses_do_not_hold_and_tell_why(checker):
    receipt = make()
    verdicts = {}
    for name, spoil in NEAR_MISSES.items():
        verdicts[name] = check(checker, write(spoil(receipt)))
        assert list_failed(checker) != [], name
        expect(checker.locator("#result pre, #result dl")).to_have_count(0)

    assert verdicts == dict.fromkeys(NEAR_MISSES, FAILS)
    check(checker, write(NEAR_MISSES["another name"](receipt)))
    assert list_failed(checker) == ["No\nThe text has the name of the receipt."]


def test_forgeries_for_keys_of_small_order_do_not_hold(checker):
    for forgery in list_forgeries():
        assert check(checker, write(forgery)) == FAILS
        assert any("only its holder can sign" in told for told in list_failed(checker))


RUBBISH = {
    "text": "hello",
    "another format": write(make() | {"format": "tracking-embed-receipt/2"}),
    "half a character": json.dumps(make() | {"nickname": "\ud800"}),
    "fields of its prototype": json.dumps(
        {"format": "tracking-embed-receipt/1", "__proto__": make()}
    ),
    "no receipts": json.dumps({"format": KIND}),
    "deep": "[" * 100_000,
}


def test_rubbish_does_not_hold(checker):
    for name, text in RUBBISH.items():
        check(checker, write(make()))  # so that no verdict is that of the rubbish before
        assert check(checker, text) != HOLDS, name
        expect(checker.locator("#result.bad"), name).to_be_visible()


# Many


def test_exported_file_is_checked_receipt_by_receipt(checker, tmp_path):
    other = make("v1") | {"walletAddress": make()["walletAddress"]}
    path = tmp_path / "receipts.json"
    path.write_text(write_many(make()), encoding="utf-8")

    checker.locator("#file").set_input_files(path)

    expect(checker.locator("#verdict")).to_have_text(
        "The receipt in this file was signed by the wallet’s holder."
    )
    expect(checker.locator("#result")).to_contain_text(
        hashlib.sha256(path.read_bytes()).hexdigest()
    )
    drop(checker, write_many(make(), other))
    expect(checker.locator("#verdict")).to_have_text("1 of 2 receipts failed the check.")
    assert list_failed(checker) == ["No\nNo other receipt before it has this wallet."]


SPOILED = {
    "another page": write_many(make(), trackingPageId="x" * 20),
    "another mint": write_many(make(), tokenMint="x"),
    "a forgery": write_many(list_forgeries()[0]),
}


def test_file_with_a_spoiled_receipt_does_not_hold(checker):
    for name, text in SPOILED.items():
        check(checker, write_many(make()))
        assert check(checker, text) == "1 of 1 receipts failed the check.", name
        expect(checker.locator("#result.bad"), name).to_be_visible()


# Ways to it


def test_receipt_may_come_behind_the_address_and_rubbish_there_proves_nothing(context, page):
    context.set_offline(True)
    receipt = page.evaluate("encodeURIComponent", write(make(nickname="Żółw")))
    for behind in ("%", "%7B", receipt):
        page.goto("about:blank")
        page.goto(f"{FILE}#{behind}")
        expect(page.locator("#result")).to_be_visible()
        is_bad = behind != receipt
        expect(page.locator("#result.bad")).to_be_visible(visible=is_bad)
    expect(page.locator("#verdict")).to_have_text(HOLDS)


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("importKey", "Promise.reject(new DOMException('', 'NotSupportedError'))"),
        ("verify", "Promise.resolve(true)"),
    ],
    ids=["lacks the algorithm", "accepts everything"],
)
def test_browser_that_cannot_verify_is_told_so(context, page, method, answer):
    context.add_init_script(f"SubtleCrypto.prototype.{method} = () => {answer};")
    page.goto(FILE)

    expect(page.get_by_text("This browser cannot verify Ed25519 signatures.")).to_be_visible()
    expect(page.locator("#form")).to_be_hidden()


def test_page_is_accessible_and_fits_a_phone(checker):
    found = find_faults("nothing checked", checker)
    for receipt in (make(), NEAR_MISSES["another name"](make())):
        found += find_faults(check(checker, write(receipt)), checker)
    assert found == []
