"""Firefox with all third-party cookies refused, partitioned ones too (apt install firefox-esr)."""

import json
import subprocess

import test_official_wallets_in_firefox as driven
from world import Visitor

needs_firefox = driven.needs_firefox

REFUSE_COOKIES = """
user_pref("network.cookie.cookieBehavior", 1);
user_pref("network.cookie.CHIPS.enabled", false);
"""


def test_rejection_is_learned_by_a_signature(embedded_page, tmp_path, browser_wallet):
    holder = Visitor(browser_wallet.key)
    embedded_page.reject(embedded_page.submit(holder, "Night heron").json["submissionId"])
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "user.js").write_text(REFUSE_COOKIES)
    job = {
        "url": embedded_page.host_page(),
        "frame": embedded_page.service_url,
        "script": browser_wallet.script(),
        "profile": str(tmp_path / "profile"),
        "steps": [
            ["read", "#cookie-blocked p"],
            ["press", "Ask with a signature what became of your wallet"],
            ["press", "Use Test wallet"],
            ["press", "Sign and send"],
            ["read", "[data-records]"],
        ],
    }
    answer = subprocess.run(
        [driven.NODE, driven.DRIVER, driven.FIREFOX, json.dumps(job)],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert answer.returncode == 0, answer.stderr
    blocked, records = json.loads(answer.stdout)
    assert blocked.startswith("Your browser does not let this site remember you here")
    assert "turned down. The owner turned it down." in records
