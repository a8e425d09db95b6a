"""A wallet of the official packages in Firefox, if one is installed (apt install firefox-esr)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from official_wallet import OfficialWallet, build
from servers import PROJECT_DIR

NODE = PROJECT_DIR / "node_modules" / ".bin" / "node"
DRIVER = Path(__file__).with_name("firefox.mjs")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


@pytest.fixture(autouse=True)
def needs_firefox() -> None:
    """Skip where there is none, except in CI."""
    if FIREFOX and NODE.exists():
        return
    reason = "needs Firefox (apt install firefox-esr), and Node (npm ci)"
    pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def test_what_goes_wrong_is_told_and_the_visitor_gets_on(embedded_page, tmp_path):
    wallet = OfficialWallet(build(), accounts=2)
    faults = {
        "connect": ["hang"],
        "signOffchainMessage": ["decline", "alter", "other", "text"],
        "signMessage": ["malformed"],
    }
    (tmp_path / "profile").mkdir()
    told = ["read", "[data-sentence]"]
    again = ["press", "Try again"]
    job = {
        "url": embedded_page.host_page(),
        "frame": embedded_page.service_url,
        "script": wallet.script(where="window !== top", faults=faults),
        "profile": str(tmp_path / "profile"),
        "steps": [
            ["press", "Add your wallet"],
            ["press", "Use Official wallet"],
            ["read", "[data-busy]"],
            ["press", "Cancel"],
            ["press", "Use Official wallet"],
            ["press", "Account 1"],
            ["fill", "[name=nickname]", "Night heron"],
            ["press", "Continue"],
            ["press", "Sign and send"],
            *[told, again, told, again, told, again, told, again],
            ["read", "[data-step=done]"],
        ],
    }
    answer = subprocess.run(
        [NODE, DRIVER, FIREFOX, json.dumps(job)], capture_output=True, text=True, timeout=120
    )

    assert answer.returncode == 0, answer.stderr
    assert [sentence.split(".")[0] for sentence in json.loads(answer.stdout)] == [
        "Waiting for your wallet…",
        "You declined in your wallet",
        "Your wallet's answer was not a signature",
        "Your wallet signed with a different account from the one chosen here",
        "You declined in your wallet",
        "Thank you",
    ]
    assert embedded_page.find_submission(wallet.address).nickname == "Night heron"
