"""A wallet of the official packages in Firefox."""

import pytest
from official_wallet import OfficialWallet, build

pytestmark = pytest.mark.browser


def test_what_goes_wrong_is_told_and_the_visitor_gets_on(embedded_page, firefox):
    wallet = OfficialWallet(build(), accounts=2)
    faults = {
        "connect": ["hang"],
        "signOffchainMessage": ["decline", "alter", "other", "text"],
        "signMessage": ["malformed"],
    }
    script = wallet.script(where="window !== top", faults=faults)
    site = firefox.open(embedded_page.host_page(), script)
    widget = site.widget(embedded_page.service_url)

    widget.press("Add your wallet")
    widget.press("Official wallet")
    assert widget.read("[data-busy]").startswith("Waiting for your wallet")
    widget.press("Cancel")
    widget.press("Official wallet")
    widget.press("Account 1")
    widget.fill("[name=nickname]", "Night heron")
    widget.press("Continue")
    widget.press("Sign with")
    for sentence in (
        "You declined in your wallet",
        "Your wallet's answer was not a signature",
        "Your wallet signed with a different account from the one chosen here",
        "You declined in your wallet",
    ):
        assert widget.read("[data-sentence]").startswith(sentence)
        widget.press("Try again")

    assert widget.read("[data-step=done]").startswith("Your wallet waits")
    assert embedded_page.find_submission(wallet.address).nickname == "Night heron"
