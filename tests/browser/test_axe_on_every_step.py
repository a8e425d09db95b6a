"""axe-core finds nothing at any step of the widget, in English, in both themes, and in Arabic."""

from datetime import timedelta

import pytest
from axe import find_violations
from embedded_page import BrowserWallet, frame_of
from official_wallet import OfficialWallet, build
from playwright.sync_api import expect
from support.world import Visitor

from embed.db.models import Submission

pytestmark = pytest.mark.browser

COLORS = ("blue", "green", "orange", "red", "yellow", "white", "black", "pink", "nonsense")
# Each status with each reason that it can have.
DECIDED = [
    ("approved", None),
    ("auto_approved", None),
    ("rejected", "manual"),
    *(
        ("soft_rejected", reason)
        for reason in ("rate_limited", "queue_full", "duplicate", "ca_gate", "cooldown")
    ),
]
REFUSALS = {
    "invalid key": lambda one: one.widget_url("nonsense"),
    "no key": lambda one: one.widget_url().partition("?")[0] + "?",
    "nothing there": lambda one: f"{one.service_url}/embed/nothing?",
}


@pytest.fixture(params=["en", "ar"])
def lang(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def official() -> OfficialWallet:
    return OfficialWallet(build(), accounts=2)


@pytest.fixture
def check(embedded_page, page, lang):
    """Note what axe-core finds in the widget's frame at a step; in the end it must be nothing."""
    found = []

    def note(where: str) -> None:
        frame = frame_of(page, embedded_page.service_url)
        found.extend(find_violations(where, page, frame, lang=lang))

    yield note
    assert found == []


def fill_list(embedded_page) -> None:
    """Give the page all optional contents, and a proved wallet."""
    embedded_page.configure(
        public_title="A title", public_comments="A comment.", min_balance="0.001"
    )
    for color in COLORS:
        embedded_page.add_tag(f"tag {color}", color)
    embedded_page.track_many(3, tag_names=[f"tag {color}" for color in COLORS])
    visitor = Visitor()
    embedded_page.observe(visitor.address, 1)
    sent = embedded_page.submit(visitor, "Night heron").json
    embedded_page.approve(sent["submissionId"])


def test_list_with_its_tools_and_a_proof(embedded_page, page, check, lang):
    fill_list(embedded_page)
    widget = embedded_page.open(page, lang=lang)
    check("list")
    widget.locator("#wallets summary").last.click()
    widget.locator(".proof summary").click()
    check("details")
    widget.locator("[data-filter]").first.click()
    check("filtered")
    widget.get_by_role("searchbox").fill("nothing has this name")
    check("nothing found")


def test_page_without_wallets(embedded_page, page, check, lang):
    embedded_page.open(page, lang=lang)
    check("empty list")


def test_steps_with_a_wallet(embedded_page, context, page, check, lang, official):
    embedded_page.configure(min_balance="0.001")
    embedded_page.observe(official.address, 5)
    faults = {"connect": ["hang"], "signOffchainMessage": ["decline"]}
    context.add_init_script(official.script(where="window !== top", faults=faults))
    widget = embedded_page.open(page, lang=lang)
    step = widget.locator("#flow")

    widget.locator("#add").click()
    use = step.locator("[data-wallets] button")
    use.wait_for()
    check("wallets")
    use.click()
    step.locator("[data-do=cancel]").wait_for()
    check("waiting for the wallet")
    step.locator("[data-do=cancel]").click()
    use.click()
    step.locator("[data-accounts] button").first.wait_for()
    check("accounts")
    step.locator("[data-accounts] button").first.click()
    step.locator("[name=nickname]").fill("<>")
    check("name, with a problem")
    step.locator("[name=nickname]").fill("Night heron")
    step.locator("[data-step=nickname] .primary").click()
    step.locator("[data-do=sign]").wait_for()
    check("text")
    step.locator("[data-do=sign]").click()
    step.locator("[data-sentence]").wait_for()
    check("declined")
    step.locator("[data-do=retry]").click()
    step.locator("[data-step=done]").wait_for()
    widget.locator("#own-list li").wait_for()
    check("sent")


def test_steps_by_hand(embedded_page, page, check, lang):
    widget = embedded_page.open(page, lang=lang)
    step = widget.locator("#flow")
    widget.locator("#add").click()
    step.locator("[data-step=choose] summary").last.click()
    check("no wallet, address by hand")
    step.locator("[name=address]").fill("nonsense")
    step.locator("[data-form=hand] button").click()
    step.locator("[data-sentence]").wait_for()
    check("address, with a problem")
    step.locator("[name=address]").fill(BrowserWallet().address)
    step.locator("[data-form=hand] button").click()
    step.locator("[name=nickname]").fill("Nächtlicher Reiher")
    step.locator("[data-step=nickname] .primary").click()
    step.locator("[name=signature]").fill("nonsense")
    step.locator("[data-form=signature] .primary").click()
    expect(step.locator("#signature-problem")).not_to_be_empty()
    check("signature, with a problem")


def test_own_submissions_in_every_status(embedded_page, context, page, check, lang, browser_wallet):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page, lang=lang)
    widget.locator("#add").click()
    widget.locator("[data-wallets] button").click()
    widget.locator("[name=nickname]").fill("Night heron")
    widget.locator("[data-step=nickname] .primary").click()
    widget.locator("[data-do=sign]").click()
    widget.locator("#own-list li").wait_for()
    sent = embedded_page.find_submission(browser_wallet.address)
    for number, (status, reason) in enumerate(DECIDED, 1):
        Submission.create(
            page=embedded_page.page_id,
            api_key=sent.api_key_id,
            wallet_address=BrowserWallet().address,
            nickname=f"Night heron {number}",
            status=status,
            reject_reason=reason,
            session_id=sent.session_id,
            created_at=sent.created_at - timedelta(minutes=number),
            decided_at=sent.created_at,
        )

    page.reload()

    expect(widget.locator("#own-list li")).to_have_count(1 + len(DECIDED))
    check("own submissions")


def test_cookie_that_the_browser_refuses(embedded_page, context, page, check, lang):
    answer = {"status": 200, "json": {"hasSession": False}}
    context.route("**/embed/session", lambda route: route.fulfill(**answer))
    widget = embedded_page.open(page, lang=lang)
    widget.locator("#cookie-blocked").wait_for()
    check("no cookie")


def test_signing_window_and_the_frame_beside_it(
    embedded_page, context, page, check, lang, browser_wallet
):
    widget = embedded_page.open(page, lang=lang)
    widget.locator("#add").click()
    with context.expect_page() as opened:
        widget.locator("[data-do=open-window]").first.click()
    window = opened.value
    window.locator("[data-if=no-wallet]").wait_for()
    check("frame beside the window")
    window.locator("details summary").first.click()
    found = find_violations("window without a wallet", window, lang=lang)
    window.evaluate(browser_wallet.script())
    window.locator("[data-wallets] button").click()
    window.locator("[name=nickname]").fill("Night heron")
    window.locator("[data-step=nickname] .primary").click()
    window.locator("[data-do=sign]").wait_for()
    found += find_violations("window with the text", window, lang=lang)
    window.close()
    widget.locator("[data-sentence]").wait_for()
    check("frame after the window was closed")

    assert found == []


def test_refusals(embedded_page, page, lang):
    found = []
    for name, locate in REFUSALS.items():
        page.goto(f"{locate(embedded_page)}&lang={lang}")
        expect(page.locator("html")).to_have_attribute("lang", lang)
        found += find_violations(name, page, lang=lang)
    assert found == []
