"""``flask demo``: a sample page, and visitors who submit wallets over HTTP."""

WALLET_SCRIPTS = ("demo/wallet.js",)  # a test wallet, only for the demo's own server
