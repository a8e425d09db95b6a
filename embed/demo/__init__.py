"""``flask demo``: a sample page, and a visitor who submits a wallet over HTTP."""

WALLET_SCRIPTS = ("demo/wallet.js",)  # a test wallet, for the demo's own server only
