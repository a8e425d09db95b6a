"""Scripts made of npm packages, and a wallet of the official ones, with real key pairs."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path

from embedded_page import BrowserWallet
from support.absence import NODE_MODULES, skip_or_fail
from support.servers import PROJECT_DIR

SOURCE = Path(__file__).with_name("official_wallet.js")


def bundle(source: Path, *options: str) -> str:
    """Return a file, with what it imports, as one script; skip without esbuild, except in CI."""
    esbuild = NODE_MODULES / ".bin/esbuild"
    if not esbuild.exists():
        skip_or_fail("npm ci brings esbuild")
    command = (esbuild, source, "--bundle", "--format=iife", "--log-level=error", *options)
    environ = os.environ | {"NODE_PATH": str(NODE_MODULES)}
    built = subprocess.run(command, cwd=PROJECT_DIR, env=environ, check=True, capture_output=True)
    return built.stdout.decode()


@cache
def build() -> str:
    """Return the wallet as a script, built as wallets are: their errors have codes only."""
    return bundle(
        SOURCE, "--global-name=officialWallet", '--define:process.env.NODE_ENV="production"'
    )


class OfficialWallet:
    """A wallet with one account or several; its script registers it, and calls it window.wallet."""

    def __init__(self, bundle: str, accounts: int = 1) -> None:
        self._bundle = bundle
        self.keys = [BrowserWallet() for _ in range(accounts)]

    @property
    def addresses(self) -> list[str]:
        return [key.address for key in self.keys]

    @property
    def address(self) -> str:
        return self.addresses[0]

    def script(self, *, where: str = "", **options: object) -> str:
        """Return an init script; official_wallet.js says what the options are.

        `where` is an expression: the wallet appears in windows in which it is true.
        """
        given = json.dumps(self.options(**options))
        return f"""if ({where or "true"}) {{
          {self._bundle}
          window.officialWallet = officialWallet;
          window.registerWallet = () => officialWallet.register({given});
          window.wallet = window.registerWallet();
        }}"""

    def options(self, **options: object) -> dict[str, object]:
        accounts = [
            {
                "seed": bytes(key.key).hex(),
                "publicKey": bytes(key.key.verify_key).hex(),
                "address": key.address,
                "label": f"Account {number}",
            }
            for number, key in enumerate(self.keys, 1)
        ]
        return {"accounts": accounts} | options
