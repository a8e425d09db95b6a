"""Check a receipt, without the service: ``python check_receipt.py receipt.json``.

Needs PyNaCl and base58. docs/receipts.md describes the forms.
"""

import base64
import json
import re
import sys
from pathlib import Path

import base58
import nacl.signing

r = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
text, key, d = r["message"].encode(), base58.b58decode(r["walletAddress"]), b"\xffsolana offchain"
size, apps = len(text).to_bytes(2, "little"), (bytes(32), text.split()[0][:32].ljust(32, b"\0"))
legacy = [d + b"\0" + kind + size for kind in (b"\0", b"\1")]
v0 = [d + b"\0" + app + kind + b"\1" + key + size for app in apps for kind in (b"\0", b"\1")]
v1 = d + b"\1\1" + key
heads = {"raw": [b""], "legacy-v0": legacy, "v0": v0, "v1-early": [v1 + size], "v1": [v1]}
name, wallet, page = (re.escape(r[one]) for one in ("nickname", "walletAddress", "trackingPageId"))
rule = rf"""\S+ asks for proof that you own this wallet\.\n
(?:Name: {name}\n)?Wallet: {wallet}\nTracking page: {page}\n(?:[NIV][a-z ]+: \S+\n){{3}}
Signing is free\. This signature does not authorize any transaction\."""
signed, signature = (base64.b64decode(r[one]) for one in ("signedBytes", "signature"))
if signed not in [head + text for head in heads[r["form"]]] or not re.fullmatch(rule, r["message"]):
    sys.exit("This receipt failed the check.")
nacl.signing.VerifyKey(key).verify(signed, signature)
print("The holder of this wallet signed:", r["message"], sep="\n\n")
